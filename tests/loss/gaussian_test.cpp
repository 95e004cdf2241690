#include "penumbra/loss/gaussian.h"

#include "penumbra/loss/guess.h"
#include "tests/finite_difference.h"
#include "tests/golden_values.h"

namespace penumbra {
namespace {

struct Case {
  torch::Tensor residual, head, mask;
};

Case golden_case() {
  const auto logits = golden_logits();
  const auto guess = loss::average_guess({logits.slice(0, 0, 10), logits.slice(0, 10, 20)});
  const auto sharp = loss::sharpen(guess, 0.5);
  return {sharp - logits.slice(0, 20, 30).softmax(1), logits.slice(0, 30, 40),
          (sharp.amax(1) > 0.45).to(torch::kDouble)};
}

TEST(GaussianNll, IsTheLogDensityThatPyTorchHas) {
  const auto [residual, head, mask] = golden_case();
  const auto each = loss::gaussian_nll(residual, head.sigmoid());
  const auto expected = golden("losses.json");
  EXPECT_NEAR(loss::weighted_mean(each, mask, false).item<double>(),
              expected["gaussian_nll"].get<double>(), 1e-12);
  EXPECT_NEAR(loss::weighted_mean(each, mask, true).item<double>(),
              expected["gaussian_nll_sum"].get<double>(), 1e-12);
}

TEST(GaussianNll, HasTheGradientOfItsDifferences) {
  const auto residual = golden_logits(3, 4) / 3, u = golden_logits(3, 4).sigmoid();
  expect_gradient_of_differences(
      [&](const torch::Tensor& x) { return loss::gaussian_nll(x, u).sum(); }, residual);
  expect_gradient_of_differences(
      [&](const torch::Tensor& x) { return loss::gaussian_nll(residual, x).sum(); }, u);
}

// dL/du = 1 - exp(-2u) r^2 >= 1 - r^2 >= 0 for probabilities: the head can only fall.
TEST(GaussianNll, OfProbabilitiesAlwaysPullsUDown) {
  for (double r = -1; r <= 1; r += 0.125)
    for (double u = 0.01; u < 1; u += 0.07) {
      const auto at = torch::tensor({u}, torch::kDouble).requires_grad_();
      loss::gaussian_nll(torch::tensor({r}, torch::kDouble), at).sum().backward();
      EXPECT_GT(at.grad()[0].item<double>(), 0) << "r " << r << ", u " << u;
    }
}

TEST(MaskedSquares, AgreeWithPyTorchAndTheirGradientWithDifferences) {
  const auto [residual, head, mask] = golden_case();
  const auto expected = golden("losses.json");
  for (const bool sum : {false, true}) {
    const double wanted = expected[sum ? "masked_mse_sum" : "masked_mse"].get<double>();
    EXPECT_NEAR(loss::weighted_mean(residual.square(), mask, sum).item<double>(), wanted, 1e-12);
    EXPECT_NEAR(loss::weighted_mean(loss::half_squared(residual), mask, sum).item<double>(),
                wanted / 2, 1e-12);
  }
  // Of probabilities, as it is minimised: some images are masked.
  const auto target = golden_logits(3, 4).flip(0).softmax(1),
             kept = torch::tensor({1.0, 0.0, 1.0}, torch::kDouble);
  expect_gradient_of_differences(
      [&](const torch::Tensor& x) {
        return loss::weighted_mean((target - x.softmax(1)).square(), kept, false);
      },
      golden_logits(3, 4));
  expect_gradient_of_differences([](const torch::Tensor& x) { return loss::half_squared(x).sum(); },
                                 golden_logits(3, 4));
}

TEST(BetaNll, AgreesWithPyTorchAndItsGradientWithDifferences) {
  const auto [residual, head, mask] = golden_case();
  EXPECT_NEAR(loss::beta_nll(residual, head, 0.5).mean().item<double>(),
              golden("losses.json")["beta_nll"].get<double>(), 1e-12);
  const auto r = golden_logits(3, 4) / 3, s = golden_logits(3, 4).flip(0);
  expect_gradient_of_differences(
      [&](const torch::Tensor& x) { return loss::beta_nll(x, s, 0.5).sum(); }, r, 1e-6);
  expect_gradient_of_differences(
      [&](const torch::Tensor& x) { return loss::beta_nll(r, x, 0).sum(); }, s, 1e-5);
}

TEST(BetaNll, AtOneGivesPredictionsHalfASquaredErrorAndFindsTheVariance) {
  const auto r = torch::tensor({0.3, -0.6}, torch::kDouble).requires_grad_();
  const auto s = torch::tensor({-3.0, 1.0}, torch::kDouble);
  loss::beta_nll(r, s, 1).sum().backward();
  EXPECT_TRUE(r.grad().allclose(r.detach()));
  // The slope in s is zero exactly at s = log r^2.
  const auto at = torch::tensor({std::log(0.09), std::log(0.36)}, torch::kDouble).requires_grad_();
  loss::beta_nll(r.detach(), at, 1).sum().backward();
  EXPECT_LT(at.grad().abs().max().item<double>(), 1e-12);
}

TEST(LogVariance, IsWhatTheHeadSaysWithinBounds) {
  const auto head = torch::tensor({-100.0, -7.0, 0.5, 2.0, 9.0}, torch::kDouble);
  EXPECT_TRUE(loss::log_variance_of(head).equal(
      torch::tensor({-7.0, -7.0, 0.5, 2.0, 2.0}, torch::kDouble)));
}

// sum_ij w_i x_ij / (N C): (1 (1 + 3) + 0.5 (2 + 6)) / 4 = 2
TEST(WeightedMean, DividesByImagesAndClassesOrByImagesAlone) {
  const auto values = torch::tensor({{1.0, 3.0}, {2.0, 6.0}}, torch::kDouble);
  const auto weights = torch::tensor({1.0, 0.5}, torch::kDouble);
  EXPECT_DOUBLE_EQ(loss::weighted_mean(values, weights, false).item<double>(), 2);
  EXPECT_DOUBLE_EQ(loss::weighted_mean(values, weights, true).item<double>(), 4);
}

// 1/2 exp(-2u) r^2 + u at u = 0 is half a squared error; at u = log 2 it is r^2 / 8 + log 2.
TEST(GaussianNll, OfKnownNumbersIsWhatTheFormulaSays) {
  const auto r = torch::tensor({0.5, -1.0}, torch::kDouble);
  EXPECT_TRUE(
      loss::gaussian_nll(r, torch::zeros({2}, torch::kDouble)).allclose(loss::half_squared(r)));
  const auto at = loss::gaussian_nll(r, torch::full({2}, std::log(2.0), torch::kDouble));
  EXPECT_NEAR(at[1].item<double>(), 1.0 / 8 + std::log(2.0), 1e-12);
}

}  // namespace
}  // namespace penumbra
