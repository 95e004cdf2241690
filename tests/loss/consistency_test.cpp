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

TEST(MaskedCrossEntropy, DividesByAllImagesAndNotByThoseThatCount) {
  // Two classes that are equally likely cost log 2 each; one of four images counts.
  const auto logits = torch::zeros({4, 2}, torch::kDouble);
  const auto target = torch::tensor({0, 1, 0, 1}, torch::kLong);
  const auto mask = torch::tensor({1, 0, 0, 0}, torch::kBool);
  EXPECT_NEAR(loss::masked_cross_entropy(logits, target, mask).item<double>(), std::log(2.0) / 4,
              1e-12);
  EXPECT_EQ(loss::masked_cross_entropy(logits, target, torch::zeros({4})).item<double>(), 0);
}

TEST(MaskedCrossEntropy, TakesProbabilitiesAndWeightsToo) {
  const auto logits = torch::tensor({{1.0, 3.0}, {2.0, 0.0}}, torch::kDouble);
  const auto hard = torch::tensor({1, 0}, torch::kLong);
  const auto soft = torch::tensor({{0.0, 1.0}, {1.0, 0.0}}, torch::kDouble);
  const auto weights = torch::tensor({0.25, 1.0}, torch::kDouble);
  EXPECT_NEAR(loss::masked_cross_entropy(logits, soft, weights).item<double>(),
              loss::masked_cross_entropy(logits, hard, weights).item<double>(), 1e-12);
  // -log softmax(1, 3)_1 = log(1 + e^-2), the same for the other row; (0.25 + 1) / 2 of it.
  EXPECT_NEAR(loss::masked_cross_entropy(logits, hard, weights).item<double>(),
              0.625 * std::log1p(std::exp(-2.0)), 1e-12);
}

}  // namespace
}  // namespace penumbra
