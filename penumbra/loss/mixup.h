#pragma once
#include <torch/types.h>

namespace penumbra::loss {

// Zhang et al. 2018, https://arxiv.org/abs/1710.09412, in MixMatch's form, where the first of the
// two always weighs more.

// max(l, 1 - l) with l ~ Beta(alpha, alpha), [n]
torch::Tensor draw_shares(int64_t n, double alpha, torch::Generator generator);

// l_i a_i + (1 - l_i) b_i for rows of any shape: a, b [N, ...], shares [N]
torch::Tensor mix(const torch::Tensor& a, const torch::Tensor& b, const torch::Tensor& shares);

// Every row with one drawn at random, by shares of its own; images [N, ...], targets [N, C].
struct Mixture {
  torch::Tensor images, targets;
};
Mixture mix_rows(const torch::Tensor& images, const torch::Tensor& targets, double alpha,
                 torch::Generator generator);

}  // namespace penumbra::loss
