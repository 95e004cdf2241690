#include "penumbra/uncertainty/temperature.h"

#include <gtest/gtest.h>

#include <cmath>

namespace penumbra {
namespace {

// n rows that say class 0 by `logit`, of which `right` are of class 0.
double temperature_of(int64_t n, int64_t right, double logit) {
  const auto logits = torch::zeros({n, 2}, torch::kDouble);
  logits.select(1, 0).fill_(logit);
  const auto labels = (torch::arange(n, torch::kLong) >= right).to(torch::kLong);
  return fit_temperature(logits, labels);
}

// The best probability of class 0 is the share that is of it: logit / T = log(p / (1 - p)).
TEST(Temperature, OfTwoClassesIsWhatTheFormulaSays) {
  for (const double logit : {1.0, 3.0, 10.0}) {
    EXPECT_NEAR(temperature_of(100, 80, logit), logit / std::log(4.0), 1e-3 * logit);
    EXPECT_NEAR(temperature_of(100, 90, logit), logit / std::log(9.0), 1e-3 * logit);
  }
}

TEST(Temperature, StaysWithinItsBounds) {
  EXPECT_NEAR(temperature_of(10, 9, 0.01), 0.05, 1e-4);  // mostly right, and hardly sure
  EXPECT_NEAR(temperature_of(10, 0, 5), 20, 1e-2);       // always wrong
}

TEST(Temperature, OfAnswersThatAreAllRightIsOneSinceNothingSaysHowSureIsTooSure) {
  EXPECT_EQ(temperature_of(10, 10, 5), 1);
  EXPECT_EQ(temperature_of(1, 1, 0.1), 1);
}

TEST(Temperature, DoesNotDependOnWhatIsAddedToAllLogitsOfAnImage) {
  const auto logits =
      torch::tensor({{1.0, 0.0}, {0.0, 2.0}, {3.0, 1.0}, {0.5, 0.0}}, torch::kDouble);
  const auto labels = torch::tensor({0, 1, 1, 0}, torch::kLong);
  const auto moved = logits + torch::tensor({{5.0}, {-3.0}, {100.0}, {0.0}}, torch::kDouble);
  EXPECT_NEAR(fit_temperature(logits, labels), fit_temperature(moved, labels), 1e-4);
}

TEST(Temperature, TakesLogitsAsTheModelGivesThem) {
  const auto logits = torch::tensor({{1.0F, 0.0F}, {0.0F, 2.0F}, {3.0F, 1.0F}}).requires_grad_();
  const auto labels = torch::tensor({0, 1, 1}, torch::kLong);
  EXPECT_NEAR(fit_temperature(logits, labels),
              fit_temperature(logits.detach().to(torch::kDouble), labels), 1e-9);
}

}  // namespace
}  // namespace penumbra
