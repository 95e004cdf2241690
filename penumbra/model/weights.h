#pragma once
#include <torch/nn/module.h>

namespace penumbra {

// A generator of its own, so that nobody else's draws change our numbers.
torch::Generator make_generator(uint64_t seed);

// libtorch's layers draw weights from its global generator as they are made. Ours are drawn
// again from the generator handed in; with this, whoever uses the global one sees no difference.
class GlobalGeneratorScope {
 public:
  GlobalGeneratorScope();
  ~GlobalGeneratorScope();
  GlobalGeneratorScope(const GlobalGeneratorScope&) = delete;
  GlobalGeneratorScope& operator=(const GlobalGeneratorScope&) = delete;

 private:
  torch::Generator generator_;
  torch::Tensor state_;
};

// Fresh weights for every layer below `module`, drawn in the order of registration:
//   convolution  N(0, 2 / (kernel height * kernel width * output channels)), bias 0
//   linear       N(0, 2 / (inputs + outputs)), bias 0  (Glorot)
//   batch norm   scale 1, shift 0, running mean 0, running variance 1
void draw_weights(torch::nn::Module& module, torch::Generator generator);

// Rows of length one at right angles to each other; columns, where there are more rows.
// From the QR decomposition of a normal matrix, so that every such matrix is equally likely.
torch::Tensor draw_orthogonal(int64_t rows, int64_t columns, torch::Generator generator);

}  // namespace penumbra
