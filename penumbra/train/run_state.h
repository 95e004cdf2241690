#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "penumbra/train/checkpoint.h"
#include "penumbra/train/trainer.h"

namespace penumbra {

// How often a survey looks at each image: twice where it sees mirror images as well.
int survey_looks(const Training& training);

// A run between two steps, and what one step does to it.
class RunState {
 public:
  explicit RunState(const Training& training);  // which must outlive it

  // What the step reports: losses, lr, gradient, pseudo-label accuracy.
  std::map<std::string, double> step(const Batch& batch);
  // As if so much of the run lay behind.
  std::map<std::string, double> step(const Batch& made, double progress);

  Checkpoint save(int64_t step) const;
  void load(const Checkpoint& checkpoint);

  double progress(int64_t step) const { return schedule_.progress(step); }

  Classifier& teacher() { return ema_.teacher(); }
  // Error where a step with a finite loss made it a network of infinities: no model to keep.
  void check_teacher(int64_t step) const;
  // Views that a network saw since the last time this was asked: not all of a batch are needed.
  int64_t take_views();
  // Surveys that this one made, and what they and the method's work on them took.
  const SurveyCost& survey_cost() const { return survey_cost_; }

 private:
  Forward counted(Classifier& classifier);
  Survey survey();
  void survey_if_due(double progress);
  [[noreturn]] void not_finite(const std::string& what, int64_t step) const;
  void check_finite(const Step& step, int64_t number) const;
  void add_pseudo_label_accuracy(Step& step, const Batch& batch) const;

  const Training& training_;
  Classifier& student_;
  mutable Ema ema_;
  Optimiser optimiser_;
  Schedule schedule_;
  std::vector<double> surveys_;  // shares of the run
  std::size_t phase_ = 0;        // phases begun
  std::size_t surveyed_ = 0;     // surveys that were due
  SurveyCost survey_cost_;
  int64_t views_ = 0;
};

}  // namespace penumbra
