#include "penumbra/uncertainty/certificates.h"

namespace penumbra {

torch::Tensor fit_certificates(const torch::Tensor& features, int64_t k) {
  // The small eigenvalues are the ones that count: they drown in float32's rounding.
  const auto phi = features.to(torch::kDouble);
  const auto moment = phi.t().matmul(phi) / static_cast<double>(phi.size(0));
  const auto vectors = std::get<1>(torch::linalg_eigh(moment));  // columns, smallest first
  return vectors.narrow(1, 0, k).t().to(torch::kFloat).contiguous();
}

torch::Tensor certificate_scores(const torch::Tensor& features, const torch::Tensor& certificates) {
  return features.matmul(certificates.t()).square().mean(1);
}

}  // namespace penumbra
