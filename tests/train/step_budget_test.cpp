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

Done done(int64_t steps, double seconds, int64_t surveys = 0, double survey_seconds = 0) {
  return {steps, seconds, surveys, survey_seconds};
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
  EXPECT_EQ(budget.fit(done(200, 10), 1000, 70), 1000);
  EXPECT_EQ(budget.fit(done(400, 20), 1000, 60), 1000);
  EXPECT_EQ(budget.fit(done(700, 50), 1000, 30), 1000);
}

TEST(StepBudget, ASlowerMachineGetsFewerStepsAndAFasterOneMore) {
  // Steps took twice as long as expected: what is left of the time holds half of what was planned.
  StepBudget slow(kEven, 0, 0, {});
  EXPECT_EQ(slow.fit(done(200, 40), 1000, 60), 500);
  StepBudget fast(kEven, 0, 0, {});
  EXPECT_EQ(fast.fit(done(200, 10), 1000, 90), 2000);
  // Only what happened since the moment before counts.
  EXPECT_EQ(fast.fit(done(400, 30), 2000, 70), 1100);
}

// After a machine stood still, two looks at the clock may follow each other at once, and the second
// may see less time than its checkpoint took.
TEST(StepBudget, AFewStepsSayNothingOfTheMachine) {
  StepBudget budget(kEven, 1, 5, {});
  EXPECT_EQ(budget.fit(done(200, 40), 1000, 65), 500);
  EXPECT_EQ(budget.fit(done(201, 44.5, 1, 5), 500, 60), 501);
  EXPECT_EQ(budget.fit(done(202, 44.5), 501, 60), 502);
}

TEST(StepBudget, KnowsThatLaterStepsCostMore) {
  StepBudget budget(kCheapStart, 0, 0, {});
  // Ten seconds less than planned are left after the cheap part: a hundred of the dear steps fewer.
  EXPECT_EQ(budget.fit(done(400, 20), 1000, 50), 900);
  // In the middle of it twice as long a run has cheap steps left, in one of half the length all
  // cost.
  StepBudget longer(kCheapStart, 0, 0, {});
  EXPECT_EQ(longer.fit(done(400, 20), 1000, 140), 2000);
}

TEST(StepBudget, ASurveyIsNotTakenForSlowSteps) {
  // Two surveys of 30 s in 180 s: 120 s are left for steps.
  StepBudget budget(kEven, 2, 30, {});
  EXPECT_EQ(budget.fit(180), 1200);
  // The first one fell between these two moments; steps were as fast as expected.
  EXPECT_EQ(budget.fit(done(600, 60), 1200, 120), 1200);
  EXPECT_EQ(budget.fit(done(800, 110, 1, 30), 1200, 70), 1200);
  EXPECT_EQ(budget.fit(done(1000, 160, 1, 30), 1200, 20), 1200);
}

TEST(StepBudget, LearnsWhatASurveyReallyTakes) {
  StepBudget budget(kEven, 2, 10, {});
  EXPECT_EQ(budget.fit(120), 1000);
  // It took 30 s, and so will the next: of 70 s that are left 40 are for steps.
  EXPECT_EQ(budget.fit(done(200, 50, 1, 30), 1000, 70), 600);
}

TEST(StepBudget, GoesOnAfterAnInterruption) {
  StepBudget budget(kEven, 0, 0, done(500, 300));  // on a slower machine
  EXPECT_EQ(budget.fit(done(600, 310), 1000, 40), 1000);
}

TEST(StepBudget, MakesOneMoreStepWhenTheTimeIsOver) {
  StepBudget budget(kEven, 0, 0, {});
  EXPECT_EQ(budget.fit(done(300, 120), 1000, -5), 301);
}

}  // namespace
}  // namespace penumbra
