#include "penumbra/train/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace penumbra {
namespace {

TEST(Schedule, EndsWhereItsCosineEnds) {
  Schedule schedule;
  schedule.lr = 0.03;
  schedule.steps = 1000;
  EXPECT_DOUBLE_EQ(schedule.at(0), 0.03);
  EXPECT_NEAR(schedule.at(1000), 0.03 * 0.19509, 1e-6);  // FixMatch: 7/16
  schedule.cosine = 0.5;
  EXPECT_NEAR(schedule.at(1000), 0, 1e-12);
  EXPECT_NEAR(schedule.at(500), 0.03 * std::sqrt(0.5), 1e-12);
}

TEST(Schedule, RisesLinearlyFirst) {
  Schedule schedule;
  schedule.lr = 1;
  schedule.cosine = 0;
  schedule.warm_up = 4;
  schedule.steps = 100;
  EXPECT_DOUBLE_EQ(schedule.at(0), 0.25);
  EXPECT_DOUBLE_EQ(schedule.at(3), 1);
  EXPECT_DOUBLE_EQ(schedule.at(50), 1);
}

TEST(Schedule, BeginsAnewInEveryPhase) {
  Schedule schedule;
  schedule.lr = 1;
  schedule.cosine = 0.5;
  schedule.warm_up = 2;
  schedule.steps = 100;
  schedule.phases = {0.2, 0.6};
  EXPECT_DOUBLE_EQ(schedule.at(0), 0.5);
  EXPECT_NEAR(schedule.at(10), std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(schedule.at(19), std::cos(0.95 * std::acos(0)), 1e-12);
  EXPECT_DOUBLE_EQ(schedule.at(20), 0.5);
  EXPECT_NEAR(schedule.at(40), std::sqrt(0.5), 1e-12);
  EXPECT_DOUBLE_EQ(schedule.at(60), 0.5);
  EXPECT_NEAR(schedule.at(80), std::sqrt(0.5), 1e-12);
}

}  // namespace
}  // namespace penumbra
