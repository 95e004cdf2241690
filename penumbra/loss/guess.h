#pragma once
#include <torch/types.h>

#include <vector>

namespace penumbra::loss {

// sharpen_T(p)_j = p_j^(1/T) / sum_l p_l^(1/T), rows [N, C] of probabilities. T = 1 changes
// nothing, T -> 0 is the most likely class alone.
torch::Tensor sharpen(const torch::Tensor& probabilities, double temperature);

// 1/K sum_k softmax(logits_k): what several views of N images say together. K times [N, C] in,
// [N, C] out; carries no gradient.
torch::Tensor average_guess(const std::vector<torch::Tensor>& logits);

// Distribution alignment: p_j (wanted_j + e) / (seen_j + e), rows brought back to sum 1, e = 1e-6:
// classes that were guessed more often than wanted become less likely. Rows [N, C]; wanted and seen
// [C] (Berthelot et al. 2020, https://arxiv.org/abs/1911.09785).
torch::Tensor align(const torch::Tensor& probabilities, const torch::Tensor& wanted,
                    const torch::Tensor& seen);

// The most likely class of each row as probabilities: 1 for it and 0 for the others.
torch::Tensor one_hot_guess(const torch::Tensor& probabilities);

}  // namespace penumbra::loss
