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

// p = (1/2, 1/2), wanted (1/2, 1/2), seen (3/4, 1/4): p wanted / seen = (1/3, 1), in all 4/3.
TEST(Align, MakesClassesLessLikelyThatWereGuessedTooOften) {
  const auto p = torch::tensor({{0.5, 0.5}, {0.9, 0.1}}, torch::kDouble);
  const auto wanted = torch::tensor({0.5, 0.5}, torch::kDouble),
             seen = torch::tensor({0.75, 0.25}, torch::kDouble);
  const auto aligned = loss::align(p, wanted, seen);
  EXPECT_NEAR(aligned[0][0].item<double>(), 0.25, 1e-5);
  EXPECT_NEAR(aligned[0][1].item<double>(), 0.75, 1e-5);
  // (0.9 2/3, 0.1 2) = (0.6, 0.2)
  EXPECT_NEAR(aligned[1][0].item<double>(), 0.75, 1e-5);
  EXPECT_TRUE(aligned.sum(1).allclose(torch::ones({2}, torch::kDouble)));
}

TEST(Align, WhereAsManyWereSeenAsWantedChangesNothing) {
  const auto p = guess(), shares = torch::full({7}, 1.0 / 7, torch::kDouble);
  EXPECT_TRUE(loss::align(p, shares, shares).allclose(p, 1e-9, 1e-9));
}

TEST(Align, AClassThatWasNeverSeenIsNotDividedByZero) {
  const auto aligned = loss::align(torch::tensor({{0.5F, 0.5F}}), torch::tensor({0.5F, 0.5F}),
                                   torch::tensor({1.0F, 0.0F}));
  EXPECT_TRUE(aligned.isfinite().all().item<bool>());
  EXPECT_GT(aligned[0][1].item<double>(), 0.999);
  EXPECT_EQ(aligned.scalar_type(), torch::kFloat);
}

TEST(Sharpen, NearZeroOnlyTheMostLikelyClassIsLeft) {
  const auto sharp = loss::sharpen(torch::tensor({{0.2, 0.5, 0.3}}, torch::kDouble), 0.01);
  EXPECT_NEAR(sharp[0][1].item<double>(), 1, 1e-12);
  // Squares by hand: 0.04, 0.25 and 0.09 of 0.38.
  const auto half = loss::sharpen(torch::tensor({{0.2, 0.5, 0.3}}, torch::kDouble), 0.5);
  EXPECT_NEAR(half[0][0].item<double>(), 0.04 / 0.38, 1e-12);
}

TEST(AverageGuess, OfOneViewIsItsSoftmax) {
  const auto logits = golden_logits(3, 4);
  EXPECT_TRUE(loss::average_guess({logits}).allclose(logits.softmax(1)));
}

}  // namespace
}  // namespace penumbra
