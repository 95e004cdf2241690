#include "penumbra/model/named_tensor.h"

#include "penumbra/core/error.h"

namespace penumbra {

torch::Tensor find_tensor(const std::vector<NamedTensor>& tensors, std::string_view name) {
  for (const auto& entry : tensors)
    if (entry.name == name) return entry.tensor;
  fail("what was saved lacks '", name, "'");
}

torch::Tensor find_tensor(const std::vector<NamedTensor>& tensors, std::string_view name,
                          const torch::Tensor& like) {
  const auto found = find_tensor(tensors, name);
  if (found.sizes() != like.sizes() || found.scalar_type() != like.scalar_type())
    fail("what was saved has '", name, "' as ", found.sizes(), ' ', found.dtype().name(),
         ": expected ", like.sizes(), ' ', like.dtype().name(), ", as this run makes it");
  return found;
}

torch::Tensor find_labels(const std::vector<NamedTensor>& tensors, std::string_view name,
                          const torch::Tensor& like, int64_t least, int64_t most) {
  const auto found = find_tensor(tensors, name, like);
  if ((found.lt(least) | found.gt(most)).any().item<bool>())
    fail("what was saved has '", name, "' from ", found.min().item<int64_t>(), " to ",
         found.max().item<int64_t>(), ": expected ", least, " to ", most);
  return found;
}

}  // namespace penumbra
