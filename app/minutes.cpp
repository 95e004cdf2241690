#include "app/minutes.h"

#include <algorithm>
#include <array>

#include "app/report.h"
#include "penumbra/evaluate/certify.h"
#include "penumbra/model/image_inference.h"
#include "penumbra/train/run_state.h"

namespace penumbra::app {
namespace {

constexpr std::array<double, 5> kLooks{0.2, 0.5, 0.75, 0.88, 0.94};  // shares of the budget

double seconds_since(Minutes::Clock::time_point start) {
  return std::chrono::duration<double>(Minutes::Clock::now() - start).count();
}

// What the classifier takes for one picture.
double measure_inference(const Experiment& experiment) {
  const auto& images = experiment.training.source.images;
  const auto some = evenly(all_positions(images), 256);
  const auto begin = Minutes::Clock::now();
  infer(*experiment.training.student, images, some, experiment.model.normalisation);
  return seconds_since(begin) / static_cast<double>(some.size());
}

// Images that are given, or else held out.
double count(const Images& given, const std::vector<int64_t>& held_out) {
  return static_cast<double>(std::max<int64_t>(given.size(), std::size(held_out)));
}

}  // namespace

double Minutes::passed() const { return seconds_since(start_); }

double Minutes::left() const { return 0.98 * budget_ - passed() - ending_; }

void Minutes::look_ahead(const Experiment& experiment) {
  each_ = measure_inference(experiment);
  const double test = each_ * count(experiment.test, experiment.split.test);
  ending_ = test + each_ * static_cast<double>(images_to_certify(experiment));
  // The report looks at the test set again, and at three views of its pictures.
  if (experiment.run.report) ending_ += test + 3 * each_ * static_cast<double>(kPicturesOfReport);
  survey_ =
      each_ * survey_looks(experiment.training) *
      static_cast<double>(experiment.split.labelled.size() + experiment.split.unlabelled.size());
  const auto parts = static_cast<double>(step_.size());
  // A first step is slower than others; where steps are long that costs less than another one.
  for (std::size_t i = 0; i < step_.size(); ++i)
    step_[i] = measure_step(experiment.training, std::min(10.0, budget_ * 0.03) / parts,
                            /*further=*/step_[0] < 0.01 * budget_ ? 1 : 0,
                            (static_cast<double>(i) + 0.5) / parts);
}

Minutes::Plan Minutes::plan(const Experiment& experiment) {
  look_ahead(experiment);
  const auto& split = experiment.split;
  const double evaluation = each_ * count(experiment.validation, split.validation);
  const auto affordable = static_cast<int64_t>(0.1 * budget_ / std::max(evaluation, 1e-3));
  const auto evaluations =
      std::max<int64_t>(1, std::min(experiment.training.options.evaluations, affordable));
  surveys_left_ = static_cast<int64_t>(experiment.method->surveys().size());
  const double time = left() - static_cast<double>(evaluations) * evaluation -
                      static_cast<double>(surveys_left_) * survey_;
  return {std::max<int64_t>(1, static_cast<int64_t>(time / cost(0, 1))), evaluations};
}

void Minutes::go_on(const Experiment& experiment, int64_t done, double seconds) {
  look_ahead(experiment);
  start_ -= std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  last_done_ = done;
  last_seconds_ = seconds;
  const double share =
      static_cast<double>(done) / static_cast<double>(experiment.training.options.steps);
  for (const double survey : experiment.method->surveys()) surveys_left_ += survey >= share ? 1 : 0;
  while (looks_ < kLooks.size() && passed() >= kLooks[looks_] * budget_) ++looks_;
}

bool Minutes::due() {
  if (looks_ == kLooks.size() || passed() < kLooks[looks_] * budget_) return false;
  ++looks_;
  return true;
}

double Minutes::cost(double begin, double end) const {
  const auto parts = static_cast<double>(step_.size());
  double sum = 0;
  for (std::size_t i = 0; i < step_.size(); ++i) {
    const auto from = std::max(begin, static_cast<double>(i) / parts);
    const auto to = std::min(end, static_cast<double>(i + 1) / parts);
    sum += step_[i] * std::max(0.0, to - from);
  }
  return sum;
}

int64_t Minutes::steps(const TrainResult& so_far, int64_t of) {
  const auto done = so_far.steps;
  const auto& [surveys, survey_seconds] = so_far.survey_cost;
  if (surveys > 0) survey_ = survey_seconds / static_cast<double>(surveys);
  surveys_left_ -= surveys;
  const double time = left() - static_cast<double>(surveys_left_) * survey_;
  const auto share = [](int64_t steps, double all) { return static_cast<double>(steps) / all; };
  const auto before = static_cast<double>(of);
  const double planned = before * cost(share(last_done_, before), share(done, before));
  const double spent = so_far.seconds - last_seconds_ - survey_seconds;
  const double slower = planned > 0 ? spent / planned : 1;
  last_done_ = done;
  last_seconds_ = so_far.seconds;
  // What is left of a run of `all` steps takes all cost(done / all, 1) slower, which grows with it.
  double fits = static_cast<double>(done + 1), too_many = 1e9;
  while (too_many - fits > 1) {
    const double all = (fits + too_many) / 2;
    (all * cost(share(done, all), 1) * slower <= time ? fits : too_many) = all;
  }
  return static_cast<int64_t>(fits);
}

}  // namespace penumbra::app
