#include "penumbra/loss/guess.h"

namespace penumbra::loss {

torch::Tensor sharpen(const torch::Tensor& probabilities, double temperature) {
  // Through logarithms: the powers of small probabilities would underflow.
  return (probabilities.log() / temperature).softmax(/*dim=*/1);
}

torch::Tensor average_guess(const std::vector<torch::Tensor>& logits) {
  const torch::NoGradGuard no_gradient;
  torch::Tensor sum;
  for (const auto& view : logits) {
    const auto probabilities = view.softmax(/*dim=*/1);
    sum = sum.defined() ? sum + probabilities : probabilities;
  }
  return sum / static_cast<double>(logits.size());
}

torch::Tensor align(const torch::Tensor& probabilities, const torch::Tensor& wanted,
                    const torch::Tensor& seen) {
  const auto scaled = probabilities * ((wanted + 1e-6) / (seen + 1e-6)).to(probabilities);
  return scaled / scaled.sum(/*dim=*/1, /*keepdim=*/true);
}

torch::Tensor one_hot_guess(const torch::Tensor& probabilities) {
  const auto best = probabilities.argmax(/*dim=*/1, /*keepdim=*/true);
  return torch::zeros_like(probabilities).scatter_(1, best, 1);
}

}  // namespace penumbra::loss
