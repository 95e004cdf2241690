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

TEST(Schedule, LaterPhasesHaveAnotherHeight) {
  Schedule schedule;
  schedule.lr = 2;
  schedule.cosine = 0.5;
  schedule.steps = 100;
  schedule.phases = {0, 0.2, 0.6};
  schedule.phase_lr = 0.25;
  EXPECT_DOUBLE_EQ(schedule.at(0), 2);  // a phase that is the whole start is none of the later ones
  EXPECT_DOUBLE_EQ(schedule.at(20), 0.5);
  EXPECT_NEAR(schedule.at(40), 0.5 * std::sqrt(0.5), 1e-12);
  EXPECT_DOUBLE_EQ(schedule.at(60), 0.5);
}

TEST(Schedule, ProgressIsTheShareOfTheStepsThatAreDone) {
  Schedule schedule;
  schedule.steps = 200;
  EXPECT_EQ(schedule.progress(0), 0);
  EXPECT_DOUBLE_EQ(schedule.progress(50), 0.25);
  EXPECT_EQ(schedule.progress(200), 1);
  schedule.steps = 0;  // no run at all is divided by one
  EXPECT_EQ(schedule.progress(0), 0);
}

TEST(Schedule, WhatLiesBehindStaysBehindWhenStepsAreCountedAnew) {
  Schedule schedule;
  schedule.lr = 1;
  schedule.cosine = 0.5;
  schedule.steps = 100;
  schedule.phases = {0.25};
  schedule.count_anew(30, 230);  // 0.7 of the run is now 200 steps long
  EXPECT_DOUBLE_EQ(schedule.progress(30), 0.3);
  EXPECT_DOUBLE_EQ(schedule.progress(130), 0.65);
  EXPECT_DOUBLE_EQ(schedule.progress(230), 1);
  // The learning rate goes on from where it was in its phase, and falls to the same end.
  EXPECT_NEAR(schedule.at(30), std::cos(0.05 / 0.75 * std::acos(0)), 1e-12);
  EXPECT_NEAR(schedule.at(230), 0, 1e-12);
  schedule.count_anew(130, 131);
  EXPECT_DOUBLE_EQ(schedule.progress(130), 0.65);
  EXPECT_DOUBLE_EQ(schedule.progress(131), 1);
}

TEST(Schedule, APhaseRisesAtThePaceOfItsSteps) {
  Schedule schedule;
  schedule.lr = 1;
  schedule.cosine = 0;
  schedule.warm_up = 10;
  schedule.steps = 100;
  schedule.phases = {0.5};
  schedule.count_anew(20, 180);  // a phase of a hundred steps begins at step 80
  EXPECT_NEAR(schedule.at(80), 0.1, 1e-9);
  EXPECT_NEAR(schedule.at(84), 0.5, 1e-9);
  EXPECT_NEAR(schedule.at(95), 1, 1e-9);
}

TEST(Schedule, IsNeverNegative) {
  Schedule schedule;
  schedule.cosine = 0.5;
  schedule.steps = 10;
  for (int64_t step = 0; step <= 20; ++step) EXPECT_GE(schedule.at(step), 0) << step;
}

TEST(Schedule, FallsFromStepToStepOnceItHasRisen) {
  Schedule schedule;
  schedule.warm_up = 10;
  schedule.steps = 100;
  for (int64_t step = 1; step < 10; ++step) EXPECT_GT(schedule.at(step), schedule.at(step - 1));
  for (int64_t step = 11; step < 100; ++step) EXPECT_LT(schedule.at(step), schedule.at(step - 1));
}

TEST(Schedule, ARiseLongerThanTheRunNeverReachesTheRate) {
  Schedule schedule;
  schedule.lr = 1;
  schedule.cosine = 0;
  schedule.warm_up = 100;
  schedule.steps = 10;
  EXPECT_DOUBLE_EQ(schedule.at(9), 0.1);
}

}  // namespace
}  // namespace penumbra
