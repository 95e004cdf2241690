#include "penumbra/model/named_tensor.h"

#include "penumbra/core/error.h"

namespace penumbra {

torch::Tensor find_tensor(const std::vector<NamedTensor>& tensors, std::string_view name) {
  for (const auto& entry : tensors)
    if (entry.name == name) return entry.tensor;
  fail("what was saved lacks '", name, "'");
}

}  // namespace penumbra
