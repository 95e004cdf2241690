#pragma once
#include <torch/types.h>

namespace penumbra {

// The k orthonormal directions that are closest to zero on all features [N, d], as rows [k, d]:
// the eigenvectors of M = 1/N sum phi phi^T with the smallest eigenvalues. No orthonormal C has
// a smaller mean of (C^T phi)^2 (Ky Fan).
torch::Tensor fit_certificates(const torch::Tensor& features, int64_t k);

// 1/k sum_j (c_j phi_i)^2 for features [N, d] and certificates [k, d]: [N].
torch::Tensor certificate_scores(const torch::Tensor& features, const torch::Tensor& certificates);

}  // namespace penumbra
