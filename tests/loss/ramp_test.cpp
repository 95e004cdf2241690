#include "penumbra/loss/ramp.h"

#include <gtest/gtest.h>

#include <cmath>

namespace penumbra {
namespace {

TEST(Ramp, RisesFromNothingToOneAndStays) {
  EXPECT_EQ(loss::linear_ramp(0, 0.4), 0);
  EXPECT_DOUBLE_EQ(loss::linear_ramp(0.1, 0.4), 0.25);
  EXPECT_EQ(loss::linear_ramp(0.9, 0.4), 1);
  EXPECT_DOUBLE_EQ(loss::sigmoid_ramp(0, 0.4), std::exp(-5.0));
  EXPECT_EQ(loss::sigmoid_ramp(0.4, 0.4), 1);
}

TEST(Ramp, OfNoLengthIsOneFromTheStart) {
  EXPECT_EQ(loss::linear_ramp(0, 0), 1);
  EXPECT_EQ(loss::sigmoid_ramp(0, 0), 1);
}

TEST(Ramp, TheSigmoidRisesSlowlyAtFirst) {
  // exp(-5 (1 - t)^2) at a half is exp(-5 / 4)
  EXPECT_DOUBLE_EQ(loss::sigmoid_ramp(0.2, 0.4), std::exp(-1.25));
  EXPECT_LT(loss::sigmoid_ramp(0.1, 0.4), loss::linear_ramp(0.1, 0.4));
  for (double progress = 0.01; progress < 0.4; progress += 0.01)
    EXPECT_GT(loss::sigmoid_ramp(progress, 0.4), loss::sigmoid_ramp(progress - 0.01, 0.4));
}

}  // namespace
}  // namespace penumbra
