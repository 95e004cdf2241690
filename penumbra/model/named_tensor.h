#pragma once
#include <torch/types.h>

#include <string>

namespace penumbra {

// A tensor as it is called in a file of weights.
struct NamedTensor {
  std::string name;
  torch::Tensor tensor;
};

}  // namespace penumbra
