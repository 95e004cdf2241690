#pragma once
#include <gtest/gtest.h>
#include <torch/types.h>

#include <functional>

namespace penumbra {

// The gradient of a scalar function at `at` (double), element by element, must be the slope of
// central differences.
inline void expect_gradient_of_differences(
    const std::function<torch::Tensor(const torch::Tensor&)>& function, const torch::Tensor& at,
    double tolerance = 1e-7) {
  const auto x = at.detach().clone().requires_grad_();
  function(x).backward();
  const auto gradient = x.grad().flatten();
  constexpr double kStep = 1e-6;
  for (int64_t i = 0; i < at.numel(); ++i) {
    const auto moved = [&](double by) {
      auto y = at.detach().clone();
      y.flatten()[i] += by;
      return function(y).item<double>();
    };
    EXPECT_NEAR(gradient[i].item<double>(), (moved(kStep) - moved(-kStep)) / (2 * kStep), tolerance)
        << "element " << i;
  }
}

}  // namespace penumbra
