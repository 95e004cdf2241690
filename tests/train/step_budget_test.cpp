// Budgets in minutes, without a clock.

#include "penumbra/train/step_budget.h"

#include <gtest/gtest.h>

namespace penumbra {
namespace {

using Costs = StepBudget::Costs;
using Done = StepBudget::Done;

constexpr Costs kEven{0.1, 0.1, 0.1, 0.1, 0.1};
// Two fifths of labelled images alone.
constexpr Costs kCheapStart{0.05, 0.05, 0.1, 0.1, 0.1};

Done done(int64_t steps, double progress, double seconds, int64_t surveys = 0,
          double survey_seconds = 0) {
  return {steps, progress, seconds, surveys, survey_seconds};
}

TEST(StepBudget, DividesTheTimeByWhatAStepCosts) {
  EXPECT_EQ(StepBudget(kEven, 0, 0, {}).fit(100), 1000);
  // 0.4 at 0.05 and 0.6 at 0.1 are 0.08 in the mean.
  EXPECT_EQ(StepBudget(kCheapStart, 0, 0, {}).fit(80), 1000);
}

TEST(StepBudget, KeepsTimeForSurveys) {
  EXPECT_EQ(StepBudget(kEven, 3, 20, {}).fit(100), 400);
  EXPECT_EQ(StepBudget(kEven, 6, 20, {}).fit(100), 1);  // there is none for steps: one is made
}

TEST(StepBudget, KeepsToItsPlanWhereAllGoesAsExpected) {
  StepBudget budget(kCheapStart, 0, 0, {});
  EXPECT_EQ(budget.fit(done(200, 0.2, 10), 70), 1000);
  EXPECT_EQ(budget.fit(done(400, 0.4, 20), 60), 1000);
  EXPECT_EQ(budget.fit(done(700, 0.7, 50), 30), 1000);
}

TEST(StepBudget, ASlowerMachineGetsFewerStepsAndAFasterOneMore) {
  // Steps took twice as long as expected: what is left of the time holds half of what was planned.
  StepBudget slow(kEven, 0, 0, {});
  EXPECT_EQ(slow.fit(done(200, 0.2, 40), 60), 500);
  StepBudget fast(kEven, 0, 0, {});
  EXPECT_EQ(fast.fit(done(200, 0.2, 10), 90), 2000);
  // Only what happened since the moment before counts.
  EXPECT_EQ(fast.fit(done(400, 0.29, 30), 70), 1100);
}

// After a machine stood still, two looks at the clock may follow each other at once, and the second
// may see less time than its checkpoint took.
TEST(StepBudget, AFewStepsSayNothingOfTheMachine) {
  StepBudget budget(kEven, 1, 5, {});
  EXPECT_EQ(budget.fit(done(200, 0.2, 40), 65), 500);
  EXPECT_EQ(budget.fit(done(201, 0.202, 44.5, 1, 5), 60), 501);
  EXPECT_EQ(budget.fit(done(202, 0.204, 44.5), 60), 502);
}

TEST(StepBudget, KnowsThatLaterStepsCostMore) {
  StepBudget budget(kCheapStart, 0, 0, {});
  // Ten seconds less than planned are left after the cheap part: a hundred of the dear steps fewer.
  EXPECT_EQ(budget.fit(done(400, 0.4, 20), 50), 900);
  // In the middle of it there are still as many cheap ones as there were before, for each other.
  StepBudget longer(kCheapStart, 0, 0, {});
  EXPECT_EQ(longer.fit(done(200, 0.2, 10), 140), 1800);
}

// However many steps there are from now on: the start that is over stays over.
TEST(StepBudget, WhatLiesBehindIsNotDoneAgain) {
  StepBudget budget(kCheapStart, 0, 0, {});
  EXPECT_EQ(budget.fit(done(400, 0.4, 20), 140), 1800);
}

TEST(StepBudget, ASurveyIsNotTakenForSlowSteps) {
  // Two surveys of 30 s in 180 s: 120 s are left for steps.
  StepBudget budget(kEven, 2, 30, {});
  EXPECT_EQ(budget.fit(180), 1200);
  // The first one fell between these two moments; steps were as fast as expected.
  EXPECT_EQ(budget.fit(done(600, 0.5, 60), 120), 1200);
  EXPECT_EQ(budget.fit(done(800, 2.0 / 3, 110, 1, 30), 70), 1200);
  EXPECT_EQ(budget.fit(done(1000, 5.0 / 6, 160, 1, 30), 20), 1200);
}

TEST(StepBudget, LearnsWhatASurveyReallyTakes) {
  StepBudget budget(kEven, 2, 10, {});
  EXPECT_EQ(budget.fit(120), 1000);
  // It took 30 s, and so will the next: of 70 s that are left 40 are for steps.
  EXPECT_EQ(budget.fit(done(200, 0.2, 50, 1, 30), 70), 600);
}

TEST(StepBudget, GoesOnAfterAnInterruption) {
  StepBudget budget(kEven, 0, 0, done(500, 0.5, 300));  // on a slower machine
  EXPECT_EQ(budget.fit(done(600, 0.6, 310), 40), 1000);
}

TEST(StepBudget, MakesOneMoreStepWhenTheTimeIsOver) {
  StepBudget budget(kEven, 0, 0, {});
  EXPECT_EQ(budget.fit(done(300, 0.3, 120), -5), 301);
}

}  // namespace
}  // namespace penumbra
