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
    double progress = 0;  // share of the run that they are
    double seconds = 0;   // of training so far
    // Since the moment before: surveys made, and what they took of those seconds.
    int64_t surveys = 0;
    double survey_seconds = 0;
  };

  // `surveys` are still to come and take so many seconds each; `done` lies behind already.
  StepBudget(const Costs& costs, int64_t surveys, double survey_seconds, const Done& done);

  // Steps of a whole run that take `time` seconds, surveys included; 1 at the least.
  int64_t fit(double time) const;

  // Steps in all, when so much was done and `time` seconds are left for the rest of the run. What
  // the steps took since the moment before says how much slower the machine is than expected,
  // unless they were few: then what it was before holds.
  int64_t fit(const Done& done, double time);

 private:
  // Seconds of a step between two shares of the run, in the mean.
  double cost(double begin, double end) const;

  Costs costs_;
  int64_t surveys_left_;
  double survey_seconds_;  // of one
  double slower_ = 1;      // than expected
  Done last_;
};

}  // namespace penumbra
