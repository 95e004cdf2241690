#include "penumbra/loss/guess.h"

#include "tests/finite_difference.h"
#include "tests/golden_values.h"

namespace penumbra {
namespace {

torch::Tensor guess() {
  const auto logits = golden_logits();
  return loss::average_guess({logits.slice(0, 0, 10), logits.slice(0, 10, 20)});
}

TEST(Sharpen, AgreesWithPython) {
  const auto sharp = loss::sharpen(guess(), 0.5);
  const auto expected = golden("losses.json")["sharpened"];
  for (int64_t i = 0; i < 10; ++i)
    for (int64_t j = 0; j < 7; ++j)
      EXPECT_NEAR(sharp[i][j].item<double>(), expected[i][j].get<double>(), 1e-12);
}

TEST(Sharpen, AtOneChangesNothingAndKeepsZeros) {
  const auto p = torch::tensor({{0.25, 0.75, 0.0}}, torch::kDouble);
  EXPECT_TRUE(loss::sharpen(p, 1).allclose(p));
  EXPECT_EQ(loss::sharpen(p, 0.5)[0][2].item<double>(), 0);
}

TEST(Sharpen, HasTheGradientOfItsDifferences) {
  const auto weights = golden_logits(3, 4);
  expect_gradient_of_differences(
      [&](const torch::Tensor& x) { return (loss::sharpen(x.softmax(1), 0.5) * weights).sum(); },
      golden_logits(3, 4).flip(0));
}

TEST(AverageGuess, IsTheMeanOfProbabilitiesWithoutGradient) {
  const auto a = torch::tensor({{0.0, 0.0}}).requires_grad_(), b = torch::tensor({{100.0, 0.0}});
  const auto mean = loss::average_guess({a, b});
  EXPECT_NEAR(mean[0][0].item<double>(), 0.75, 1e-6);
  EXPECT_FALSE(mean.requires_grad());
}

TEST(OneHotGuess, HasOneOne) {
  const auto p = torch::tensor({{0.2, 0.5, 0.3}});
  EXPECT_TRUE(loss::one_hot_guess(p).equal(torch::tensor({{0.0, 1.0, 0.0}})));
}

}  // namespace
}  // namespace penumbra
