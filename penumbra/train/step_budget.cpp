#include "penumbra/train/step_budget.h"

#include <algorithm>
#include <cmath>

namespace penumbra {
namespace {

constexpr int64_t kTelling = 10;  // steps that say how fast the machine is

}  // namespace

StepBudget::StepBudget(const Costs& costs, int64_t surveys, double survey_seconds, const Done& done)
    : costs_(costs), surveys_left_(surveys), survey_seconds_(survey_seconds), last_(done) {}

double StepBudget::cost(double begin, double end) const {
  const auto parts = static_cast<double>(costs_.size());
  double sum = 0;
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    const auto from = std::max(begin, static_cast<double>(i) / parts);
    const auto to = std::min(end, static_cast<double>(i + 1) / parts);
    sum += costs_[i] * std::max(0.0, to - from);
  }
  return sum / (end - begin);
}

int64_t StepBudget::fit(double time) const {
  const double for_steps = time - static_cast<double>(surveys_left_) * survey_seconds_;
  return std::max<int64_t>(1, std::llround(for_steps / cost(0, 1)));
}

int64_t StepBudget::fit(const Done& done, double time) {
  if (done.surveys > 0) survey_seconds_ = done.survey_seconds / static_cast<double>(done.surveys);
  surveys_left_ -= done.surveys;
  const double for_steps = time - static_cast<double>(surveys_left_) * survey_seconds_;
  const auto steps = done.steps - last_.steps;
  const double spent = done.seconds - last_.seconds - done.survey_seconds;
  if (steps >= kTelling && spent > 0)
    slower_ = spent / (static_cast<double>(steps) * cost(last_.progress, done.progress));
  last_ = done;
  return done.steps +
         std::max<int64_t>(1, std::llround(for_steps / (cost(done.progress, 1) * slower_)));
}

}  // namespace penumbra
