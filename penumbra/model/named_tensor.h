#pragma once
#include <torch/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace penumbra {

// A tensor as it is called in a file of weights.
struct NamedTensor {
  std::string name;
  torch::Tensor tensor;
};

// The tensor called `name`; throws Error where there is none.
torch::Tensor find_tensor(const std::vector<NamedTensor>& tensors, std::string_view name);

}  // namespace penumbra
