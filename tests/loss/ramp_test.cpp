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

}  // namespace
}  // namespace penumbra
