#pragma once
#include <torch/optim/sgd.h>

#include <string>

namespace penumbra {

// Where libtorch's optimisers keep what they know of a weight.
inline std::string state_key(const torch::Tensor& weight) {
  return c10::guts::to_string(weight.unsafeGetTensorImpl());
}

// U V^T of a matrix U S V^T [rows, columns], roughly: three steps of Newton and Schulz, with
// coefficients made for speed, bring singular values above a tenth of the largest near to one.
// Products are of the type that AutocastScope says.
torch::Tensor nearly_orthogonal(const torch::Tensor& matrix);

// Muon: a convolution's step is that of Nesterov's momentum made orthogonal, so that every
// direction that its kernel can turn into is learnt at the same rate. Steps are shares of the
// kernel's own length, which they leave as it is: batch norm takes it out again, so that no decay
// is needed. All other weights go by SGD.
// Jordan 2024, https://kellerjordan.github.io/posts/muon; in its form for CIFAR-10,
// https://github.com/KellerJordan/cifar10-airbench.
class Muon final : public torch::optim::SGD {
 public:
  using SGD::SGD;
  // Takes the convolutions' gradients away.
  torch::Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace penumbra
