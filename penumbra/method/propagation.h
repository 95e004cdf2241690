#pragma once
#include <torch/types.h>

namespace penumbra {

struct PropagationOptions {
  int64_t neighbours = 50;  // k of the graph
  double power = 3;         // of similarities
  double alpha = 0.99;      // how far labels spread
  int64_t iterations = 20;  // of the conjugate gradients, at the most
};

struct Propagated {
  torch::Tensor labels;   // [N] int64
  torch::Tensor weights;  // [N] float, 0 to 1: how certain, 1 - entropy / log classes
};

// Spreads labels over the nearest neighbours' graph of the features [N, d], whose first rows are
// the images with `labels` [L]: solves (I - alpha S) z = y for each class, where S = D^-1/2 W
// D^-1/2 and W = A + A^T has A_ij = max(0, cos(phi_i, phi_j))^power for the k neighbours j of i
// (Iscen et al. 2019, https://arxiv.org/abs/1904.04717, Eq. 9-12). Memory grows with N k.
Propagated propagate(const torch::Tensor& features, const torch::Tensor& labels, int64_t classes,
                     const PropagationOptions& options);

}  // namespace penumbra
