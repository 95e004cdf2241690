#include "penumbra/loss/pair.h"

namespace penumbra::loss {

torch::Tensor pair_loss(const torch::Tensor& logits, const torch::Tensor& targets,
                        double confidence, double similarity) {
  const auto n = logits.size(0);
  if (n < 2) return logits.sum() * 0;
  torch::Tensor weights;              // [N, N]
  const auto roots = targets.sqrt();  // [N, C]
  {
    const torch::NoGradGuard no_gradient;
    const auto alike = roots.matmul(roots.t());
    const auto sure = (targets.amax(1) > confidence).unsqueeze(1);
    weights = alike * ((alike > similarity) & sure);
    weights.fill_diagonal_(0);
  }
  // All N^2 similarities of predictions to labels are one product of matrices.
  const auto said = (logits.log_softmax(1) / 2).exp();  // sqrt(p), whose gradient is finite
  const auto apart = 1 - roots.matmul(said.t());        // [i, j]
  return (weights * apart).sum() / (static_cast<double>(n) * static_cast<double>(n - 1) / 2);
}

}  // namespace penumbra::loss
