#include "penumbra/uncertainty/temperature.h"

#include <cmath>

namespace penumbra {

double fit_temperature(const torch::Tensor& logits, const torch::Tensor& labels) {
  const torch::NoGradGuard no_gradient;
  if (logits.argmax(1).eq(labels).all().item<bool>()) return 1;
  const auto wide = logits.to(torch::kDouble);
  const auto index = labels.unsqueeze(1);
  const auto loss = [&](double log_temperature) {
    const auto scaled = wide * std::exp(-log_temperature);
    return -scaled.log_softmax(1).gather(1, index).mean().item<double>();
  };
  // The loss is convex in 1/T, so it has one valley in log T: golden-section search finds it.
  const double golden = (std::sqrt(5.0) - 1) / 2;
  double low = std::log(0.05), high = std::log(20.0);
  double left = high - golden * (high - low), right = low + golden * (high - low);
  double at_left = loss(left), at_right = loss(right);
  while (high - low > 1e-5) {
    if (at_left <= at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - golden * (high - low);
      at_left = loss(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + golden * (high - low);
      at_right = loss(right);
    }
  }
  return std::exp((low + high) / 2);
}

}  // namespace penumbra
