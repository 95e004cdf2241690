#pragma once
#include <torch/types.h>

namespace penumbra {

// The T > 0 for which softmax(logits / T) has the smallest log loss on held-out images, logits
// [N, C] and labels [N]. Guo et al. 2017, https://arxiv.org/abs/1706.04599. Between 0.05 and 20; 1
// where all are right, since the smaller it is the better then, and every answer would be certain.
double fit_temperature(const torch::Tensor& logits, const torch::Tensor& labels);

}  // namespace penumbra
