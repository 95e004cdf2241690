#include "app/minutes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "app/progress.h"
#include "app/report.h"
#include "penumbra/core/error.h"
#include "penumbra/evaluate/certify.h"
#include "penumbra/model/image_inference.h"
#include "penumbra/train/run_state.h"

namespace penumbra::app {
namespace {

constexpr std::array<double, 5> kLooks{0.2, 0.5, 0.75, 0.88, 0.94};  // shares of the budget
constexpr double kLeastForSteps = 0.05;                              // likewise

double seconds_since(Minutes::Clock::time_point start) {
  return std::chrono::duration<double>(Minutes::Clock::now() - start).count();
}

// What the classifier takes for one picture: the best of three, since the first one finds nothing
// made and any may meet another process.
double measure_inference(const Experiment& experiment, Precision precision, Kernels kernels) {
  const auto classifier = experiment.training.student->copy();
  classifier->set_precision(precision);
  classifier->set_kernels(kernels);
  const auto& images = experiment.training.source.images;
  const auto some = evenly(all_positions(images), 256);
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    const auto begin = Minutes::Clock::now();
    infer(*classifier, images, some, experiment.model.normalisation);
    best = std::min(best, seconds_since(begin));
  }
  return best / static_cast<double>(some.size());
}

// A budget of so many seconds as it is given on the command line.
std::string as_flag(double seconds) {
  const double minutes = seconds / 60;
  return fmt::format("--minutes {:g}",
                     minutes > 1 ? std::ceil(minutes) : std::ceil(10 * minutes) / 10);
}

// Images that are given, or else held out.
double count(const Images& given, const std::vector<int64_t>& held_out) {
  return static_cast<double>(std::max<int64_t>(given.size(), std::size(held_out)));
}

}  // namespace

double Minutes::passed() const { return seconds_since(start_); }

double Minutes::left() const { return 0.98 * budget_ - passed() - ending_; }

void Minutes::time_answers(const Experiment& experiment) {
  const auto& training = experiment.training;
  each_ = measure_inference(experiment, training.precision, training.kernels);
  // A finished model answers as it is read.
  const bool alike =
      training.precision == Precision::kFp32 && training.kernels == fastest_kernels();
  const double answer =
      alike ? each_ : measure_inference(experiment, Precision::kFp32, fastest_kernels());
  const double test = answer * count(experiment.test, experiment.split.test);
  // The best model and the last one.
  ending_ = test + 2 * answer * static_cast<double>(images_to_certify(experiment));
  // The report looks at the test set again, and at three views of its pictures.
  if (experiment.run.report) ending_ += test + 3 * answer * static_cast<double>(kPicturesOfReport);
  const int looks_of_answer = experiment.model.mirror ? 2 : 1;
  survey_ =
      each_ / looks_of_answer * survey_looks(experiment.training) *
      static_cast<double>(experiment.split.labelled.size() + experiment.split.unlabelled.size());
}

// A run that does nothing but look would end with a model that learnt nothing from what it saw.
void Minutes::refuse_surveys_without_steps(const Experiment& experiment, double seconds) const {
  if (seconds == 0 || seconds < 0.7 * left()) return;
  fail(
      "method ", experiment.run.method, " looks at all ", experiment.split.unlabelled.size(),
      " unlabelled pictures, which takes about ", fmt::format("{:.1f}", seconds / 60),
      " minutes here: expected a larger budget (", as_flag(2 * (passed() + ending_ + seconds)),
      "), a smaller network (--backbone), or a method that needs no such look (--method fixmatch)");
}

void Minutes::refuse_without_steps(double seconds) const {
  if (seconds >= kLeastForSteps * budget_) return;
  fail("reading the data, judging the model and timing both take ",
       format_duration(budget_ - seconds),
       " here, which leaves no time to train: expected at least ", as_flag(2 * (budget_ - seconds)),
       "; pictures of a folder are read faster the second time");
}

StepBudget::Costs Minutes::time_steps(const Experiment& experiment) const {
  const auto parts = static_cast<double>(StepBudget::Costs().size());
  // In two rounds, of which the faster counts: what another process took from one part of the run
  // would be taken for its cost. A first step is slower than others; where steps are long that
  // costs less than another one, or than another round.
  const auto time_parts = [&] {
    StepBudget::Costs costs{};
    for (std::size_t i = 0; i < costs.size(); ++i)
      costs[i] = measure_step(experiment.training, std::min(10.0, budget_ * 0.03) / parts / 2,
                              /*further=*/costs[0] < 0.01 * budget_ ? 1 : 0,
                              (static_cast<double>(i) + 0.5) / parts);
    return costs;
  };
  auto costs = time_parts();
  if (costs[0] >= 0.01 * budget_) return costs;
  const auto again = time_parts();
  for (std::size_t i = 0; i < costs.size(); ++i) costs[i] = std::min(costs[i], again[i]);
  return costs;
}

Minutes::Plan Minutes::plan(const Experiment& experiment) {
  time_answers(experiment);
  const auto surveys = static_cast<int64_t>(experiment.method->surveys().size());
  refuse_without_steps(budget_ - passed());  // reading alone may have taken it all
  refuse_surveys_without_steps(experiment, static_cast<double>(surveys) * survey_);
  const auto costs = time_steps(experiment);
  steps_.emplace(costs, surveys, survey_, StepBudget::Done{});
  const double evaluation = each_ * count(experiment.validation, experiment.split.validation);
  const auto affordable = static_cast<int64_t>(0.1 * budget_ / std::max(evaluation, 1e-3));
  const auto evaluations =
      std::max<int64_t>(1, std::min(experiment.training.options.evaluations, affordable));
  const double time = left() - static_cast<double>(evaluations) * evaluation;
  refuse_without_steps(time - static_cast<double>(surveys) * survey_);
  return {steps_->fit(time), evaluations};
}

void Minutes::go_on(const Experiment& experiment, const StepBudget::Done& done) {
  time_answers(experiment);
  const auto costs = time_steps(experiment);
  start_ -=
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(done.seconds));
  const auto shares = experiment.method->surveys();
  const auto surveys = std::count_if(shares.begin(), shares.end(),
                                     [&](double survey) { return survey >= done.progress; });
  steps_.emplace(costs, surveys, survey_, done);
  while (looks_ < kLooks.size() && passed() >= kLooks[looks_] * budget_) ++looks_;
  another_machine_ = true;
}

bool Minutes::due() {
  if (std::exchange(another_machine_, false)) return true;
  if (looks_ == kLooks.size() || passed() < kLooks[looks_] * budget_) return false;
  ++looks_;
  return true;
}

int64_t Minutes::steps(const Experiment& experiment, const TrainResult& so_far) {
  time_answers(experiment);  // a machine that was busy at the start may be quiet by now
  const auto& [surveys, survey_seconds] = so_far.survey_cost;
  return steps_->fit({so_far.steps, so_far.progress, so_far.seconds, surveys, survey_seconds},
                     left());
}

}  // namespace penumbra::app
