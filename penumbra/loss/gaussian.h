#pragma once
#include <torch/types.h>

namespace penumbra::loss {

// Losses of a residual r = target - prediction, each element by itself: [N, C] in, [N, C] out.

// 1/2 exp(-2u) r^2 + u: the negative log-likelihood of r under the variance exp(2u), up to a
// constant (PAPER's L_UA, Sigma = diag(exp(2u))). With u in (0, 1) and |r| <= 1 its slope in u,
// 1 - exp(-2u) r^2, is never negative: the best u is 0 for every image.
torch::Tensor gaussian_nll(const torch::Tensor& residual, const torch::Tensor& u);

// The log-variance s that a head means: what it says, within bounds. Beyond these single residuals
// would weigh a thousandfold, or single classes be all of a mean.
torch::Tensor log_variance_of(const torch::Tensor& head);

// v^beta (1/2 exp(-s) r^2 + s/2), s the log-variance and v = exp(s) without gradient (Seitzer et
// al. 2022, https://arxiv.org/abs/2203.09168). beta = 0 is the likelihood itself; with beta = 1 the
// prediction sees half a squared error whatever the variance.
torch::Tensor beta_nll(const torch::Tensor& residual, const torch::Tensor& log_variance,
                       double beta);

// 1/2 r^2: gaussian_nll with u = 0.
torch::Tensor half_squared(const torch::Tensor& residual);

// sum_ij w_i x_ij / (N C), or / N where classes are summed; x [N, C], w [N].
torch::Tensor weighted_mean(const torch::Tensor& values, const torch::Tensor& weights,
                            bool sum_over_classes);

}  // namespace penumbra::loss
