#pragma once
#include <torch/types.h>

namespace penumbra::loss {

// Certificates are k directions in the space of features, the columns of C [d, k], that give zero
// for everything familiar (Tagasovska and Lopez-Paz 2019, https://arxiv.org/abs/1811.00908).
// Layers keep C^T as their weight: [k, d].

// Mean over images and certificates of (C^T phi)^2, for outputs C^T phi [N, k].
torch::Tensor certificate_loss(const torch::Tensor& outputs);

enum class OrthogonalityNorm {
  kSquaredFrobenius,  // ||C^T C - I||_F^2
  kFrobenius,         // ||C^T C - I||_F
  kMeanSquare,        // ||C^T C - I||_F^2 / k^2; certificates vanish under weak penalties
};

// How far the rows of `weight` [k, d] are from orthonormal.
torch::Tensor orthogonality(const torch::Tensor& weight, OrthogonalityNorm norm);

}  // namespace penumbra::loss
