#pragma once
#include <chrono>

#include "penumbra/train/experiment.h"

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
  Plan plan(const Experiment& experiment);

  // True once at each of some moments, more of them towards the end.
  bool due();

  // Steps in all that fit, when `done` took `seconds`; by what they took since it was last asked.
  int64_t steps(int64_t done, double seconds);

 private:
  double passed() const;
  double left() const;  // for training

  double budget_;
  Clock::time_point start_;
  double ending_ = 0;      // seconds that judging the model takes
  std::size_t looks_ = 0;  // how often due() was true
  int64_t last_done_ = 0;
  double last_seconds_ = 0;
};

}  // namespace penumbra::app
