#pragma once
#include <chrono>
#include <optional>

#include "penumbra/train/experiment.h"
#include "penumbra/train/step_budget.h"

namespace penumbra::app {

// A budget of wall time, kept by counting steps: what a step costs is measured before the run, and
// again while it trains, since a machine is not equally busy all the time.
class Minutes {
 public:
  using Clock = std::chrono::steady_clock;

  // `start` of the whole command, whose reading and judging count, too.
  Minutes(double minutes, Clock::time_point start) : budget_(minutes * 60), start_(start) {}

  struct Plan {
    int64_t steps, evaluations;
  };
  // Before training, on a copy of the model. Evaluations get a tenth of the time at the most.
  // Throws Error where reading and judging, or a method's looks at the whole pool, leave next to
  // no time for steps.
  Plan plan(const Experiment& experiment);

  // For a run that was left after this, which counts.
  void go_on(const Experiment& experiment, const StepBudget::Done& done);

  // True once at each of some moments, more of them towards the end, and once for a run that goes
  // on.
  bool due();

  double left() const;  // seconds for training

  // Steps in all that fit, when `so_far` was done.
  int64_t steps(const Experiment& experiment, const TrainResult& so_far);

 private:
  void time_answers(const Experiment& experiment);  // sets the seconds below
  StepBudget::Costs time_steps(const Experiment& experiment) const;
  double passed() const;
  void refuse_surveys_without_steps(const Experiment& experiment, double seconds) const;
  void refuse_without_steps(double seconds) const;

  double budget_;
  Clock::time_point start_;
  double each_ = 0;               // seconds that the classifier takes for a picture in training
  double ending_ = 0;             // seconds that judging the model takes
  double survey_ = 0;             // seconds of one look at the whole pool
  std::size_t looks_ = 0;         // at how many of those moments due() was true
  bool another_machine_ = false;  // perhaps, since the run goes on: due() is true at once
  std::optional<StepBudget> steps_;
};

}  // namespace penumbra::app
