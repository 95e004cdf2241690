#pragma once
#include <torch/types.h>

namespace penumbra::loss {

// SimPLE's pair loss: images whose soft labels q are alike should be predicted alike (Hu et al.
// 2021, https://arxiv.org/abs/2103.16725). Over ordered pairs i != j of N images,
//   sum_ij [max q_i > confidence] s_ij [s_ij > similarity] (1 - BC(p_j, q_i)) / (N (N - 1) / 2)
// with s_ij = BC(q_i, q_j), p = softmax(logits), and BC(p, q) = sum_c sqrt(p_c q_c)
// (Bhattacharyya). logits [N, C], targets [N, C] probabilities, without gradient.
torch::Tensor pair_loss(const torch::Tensor& logits, const torch::Tensor& targets,
                        double confidence, double similarity);

}  // namespace penumbra::loss
