#include "penumbra/uncertainty/estimator.h"

#include "penumbra/core/error.h"
#include "penumbra/uncertainty/estimators.inc"  // generated from estimators/*.cpp

namespace penumbra {

std::unique_ptr<Estimator> make_estimator(std::string_view name, Options& options) {
  return make_plugin("estimator", kEstimators, name, options);
}

std::vector<PartInfo> list_estimators() { return list_plugins(kEstimators); }

torch::Tensor unit_features(const torch::Tensor& features) {
  return features / features.norm(2, /*dim=*/1, /*keepdim=*/true).clamp_min(1e-12);
}

torch::Tensor find_matrix(const std::vector<NamedTensor>& tensors, std::string_view name) {
  const auto found = find_tensor(tensors, name);
  if (found.dim() != 2 || found.numel() == 0 || found.scalar_type() != torch::kFloat)
    fail("the model's estimator has '", name, "' of shape ", found.sizes(), " and type ",
         found.scalar_type(), ": expected a matrix of Float; penumbra certify fits it anew");
  return found.contiguous();
}

void expect_features(const torch::Tensor& features, int64_t expected) {
  if (features.size(1) != expected)
    fail("the model's estimator knows images of ", expected, " features, the model gives ",
         features.size(1),
         ": expected a file whose parts belong together; penumbra certify fits it anew");
}

}  // namespace penumbra
