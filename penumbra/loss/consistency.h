#pragma once
#include <torch/types.h>

namespace penumbra::loss {

struct PseudoLabels {
  torch::Tensor target;      // [N] int64, the most likely class
  torch::Tensor confidence;  // [N] float in [0, 1], its probability
};

// Hard labels from logits [N, C]; carries no gradient.
PseudoLabels pseudo_labels(const torch::Tensor& logits);

// 1/N sum_i mask_i H(target_i, softmax(logits_i)) for logits [N, C], mask [N], and as target
// classes [N] int64 or probabilities [N, C].
// Divides by N and not by the number kept, as FixMatch does (Eq. 4).
torch::Tensor masked_cross_entropy(const torch::Tensor& logits, const torch::Tensor& target,
                                   const torch::Tensor& mask);

}  // namespace penumbra::loss
