#include "penumbra/uncertainty/estimator.h"

#include "penumbra/uncertainty/estimators.inc"  // generated from estimators/*.cpp

namespace penumbra {

std::unique_ptr<Estimator> make_estimator(std::string_view name, Options& options) {
  return make_plugin("estimator", kEstimators, name, options);
}

std::vector<PartInfo> list_estimators() { return list_plugins(kEstimators); }

torch::Tensor unit_features(const torch::Tensor& features) {
  return features / features.norm(2, /*dim=*/1, /*keepdim=*/true).clamp_min(1e-12);
}

}  // namespace penumbra
