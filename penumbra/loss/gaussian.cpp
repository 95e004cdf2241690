#include "penumbra/loss/gaussian.h"

namespace penumbra::loss {

torch::Tensor gaussian_nll(const torch::Tensor& residual, const torch::Tensor& u) {
  return 0.5 * (-2 * u).exp() * residual.square() + u;
}

torch::Tensor log_variance_of(const torch::Tensor& head) { return head.clamp(-7, 2); }

torch::Tensor beta_nll(const torch::Tensor& residual, const torch::Tensor& log_variance,
                       double beta) {
  const auto weight = (beta * log_variance.detach()).exp();
  return weight * 0.5 * ((-log_variance).exp() * residual.square() + log_variance);
}

torch::Tensor half_squared(const torch::Tensor& residual) { return 0.5 * residual.square(); }

torch::Tensor weighted_mean(const torch::Tensor& values, const torch::Tensor& weights,
                            bool sum_over_classes) {
  const auto rows = sum_over_classes ? values.sum(/*dim=*/1) : values.mean(/*dim=*/1);
  return (rows * weights).mean();
}

}  // namespace penumbra::loss
