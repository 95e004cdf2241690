#include "penumbra/loss/certificates.h"

namespace penumbra::loss {

torch::Tensor certificate_loss(const torch::Tensor& outputs) { return outputs.square().mean(); }

torch::Tensor orthogonality(const torch::Tensor& weight, OrthogonalityNorm norm) {
  const auto difference =
      weight.matmul(weight.t()) - torch::eye(weight.size(0), weight.options().requires_grad(false));
  switch (norm) {
    case OrthogonalityNorm::kFrobenius:
      return difference.norm();
    case OrthogonalityNorm::kMeanSquare:
      return difference.square().mean();
    case OrthogonalityNorm::kSquaredFrobenius:
      break;
  }
  return difference.square().sum();
}

}  // namespace penumbra::loss
