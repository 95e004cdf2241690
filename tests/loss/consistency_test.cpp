#include "penumbra/loss/consistency.h"

#include <gtest/gtest.h>

#include "tests/golden_values.h"

namespace penumbra {
namespace {

TEST(PseudoLabels, AreTheMostLikelyClassWithoutGradient) {
  auto logits = torch::tensor({{1.0, 3.0}, {2.0, -1.0}}).requires_grad_();
  const auto pseudo = loss::pseudo_labels(logits);
  EXPECT_TRUE(pseudo.target.equal(torch::tensor({1, 0}, torch::kLong)));
  EXPECT_NEAR(pseudo.confidence[0].item<double>(), 1 / (1 + std::exp(-2.0)), 1e-6);
  EXPECT_FALSE(pseudo.confidence.requires_grad());
}

TEST(MaskedCrossEntropy, AgreesWithPyTorch) {
  const auto logits = golden_logits();
  const auto pseudo = loss::pseudo_labels(logits.slice(0, 0, 20));
  const auto mask = pseudo.confidence >= 0.5;
  const auto value = loss::masked_cross_entropy(logits.slice(0, 20, 40), pseudo.target, mask);
  EXPECT_NEAR(value.item<double>(), golden("metrics.json")["masked_cross_entropy"].get<double>(),
              1e-12);
}

TEST(MaskedCrossEntropy, HasTheGradientOfItsDifferences) {
  auto logits = golden_logits(5, 4).requires_grad_();
  const auto target = torch::tensor({0, 1, 2, 3, 0}, torch::kLong);
  const auto mask = torch::tensor({1, 0, 1, 1, 0}, torch::kBool);
  const auto value = [&](const torch::Tensor& x) {
    return loss::masked_cross_entropy(x, target, mask);
  };
  value(logits).backward();
  const double step = 1e-6;
  for (int64_t i = 0; i < 5; ++i)
    for (int64_t j = 0; j < 4; ++j) {
      auto up = logits.detach().clone(), down = logits.detach().clone();
      up[i][j] += step;
      down[i][j] -= step;
      const double slope = (value(up) - value(down)).item<double>() / (2 * step);
      EXPECT_NEAR(logits.grad()[i][j].item<double>(), slope, 1e-8);
    }
}

}  // namespace
}  // namespace penumbra
