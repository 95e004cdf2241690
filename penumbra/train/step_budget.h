#pragma once
#include <array>
#include <cstdint>

namespace penumbra {

// How many steps fit into a time, where steps differ in cost over the run (a supervised start is
// cheap), surveys come between them, and the machine is not equally busy all the time.
class StepBudget {
 public:
  // Seconds of a step in each fifth of the run.
  using Costs = std::array<double, 5>;

  // What a run has done by a moment.
  struct Done {
    int64_t steps = 0;
    double seconds = 0;  // of training so far
    // Since the moment before: surveys made, and what they took of those seconds.
    int64_t surveys = 0;
    double survey_seconds = 0;
  };

  // `surveys` are still to come and take so many seconds each; `done` lies behind already.
  StepBudget(const Costs& costs, int64_t surveys, double survey_seconds, const Done& done);

  // Steps of a whole run that take `time` seconds, surveys included; 1 at the least.
  int64_t fit(double time) const;

  // Steps in all, when so much was done of a run of `of` steps and `time` seconds are left. What
  // the steps took since the moment before says how much slower the machine is than expected,
  // unless they were few: then what it was before holds.
  int64_t fit(const Done& done, int64_t of, double time);

 private:
  // Seconds of the steps between two shares of a run of one step.
  double cost(double begin, double end) const;

  Costs costs_;
  int64_t surveys_left_;
  double survey_seconds_;  // of one
  double slower_ = 1;      // than expected
  Done last_;
};

}  // namespace penumbra
