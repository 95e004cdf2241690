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

// The same of the sizes and the type that `like` has, for what is used as it is: throws Error where
// it has others. A right checksum says nothing of who made it.
torch::Tensor find_tensor(const std::vector<NamedTensor>& tensors, std::string_view name,
                          const torch::Tensor& like);

// The same of labels, from `least` to `most`: others would be looked for outside of a table.
torch::Tensor find_labels(const std::vector<NamedTensor>& tensors, std::string_view name,
                          const torch::Tensor& like, int64_t least, int64_t most);

}  // namespace penumbra
