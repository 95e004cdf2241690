#include "app/minutes.h"

#include <algorithm>
#include <array>

#include "app/report.h"
#include "penumbra/evaluate/certify.h"
#include "penumbra/model/image_inference.h"

namespace penumbra::app {
namespace {

constexpr std::array<double, 3> kPlannedAt{1.0 / 6, 3.0 / 6, 5.0 / 6};  // shares of the run
constexpr std::array<double, 5> kLooks{0.2, 0.5, 0.75, 0.88, 0.94};     // shares of the budget

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

}  // namespace

double Minutes::passed() const { return seconds_since(start_); }

double Minutes::left() const { return 0.98 * budget_ - passed() - ending_; }

Minutes::Plan Minutes::plan(const Experiment& experiment) {
  const auto count = [](const Images& given, const std::vector<int64_t>& held_out) {
    return static_cast<double>(std::max<int64_t>(given.size(), std::size(held_out)));
  };
  const auto& split = experiment.split;
  const double each = measure_inference(experiment);
  const double evaluation = each * count(experiment.validation, split.validation);
  const double test = each * count(experiment.test, split.test);
  ending_ = test + each * static_cast<double>(images_to_certify(experiment));
  // The report looks at the test set again, and at three views of its pictures.
  if (experiment.run.report) ending_ += test + 3 * each * static_cast<double>(kPicturesOfReport);
  const auto affordable = static_cast<int64_t>(0.1 * budget_ / std::max(evaluation, 1e-3));
  const auto evaluations =
      std::max<int64_t>(1, std::min(experiment.training.options.evaluations, affordable));
  // Steps of a supervised start cost less than later ones.
  double step = 0;
  for (const double progress : kPlannedAt)
    step += measure_step(experiment.training, std::min(10.0, budget_ * 0.03) / kPlannedAt.size(),
                         /*further=*/0, progress) /
            kPlannedAt.size();
  const auto surveys = static_cast<double>(experiment.method->phases().size());
  const double time = left() - static_cast<double>(evaluations) * evaluation -
                      surveys * each * static_cast<double>(split.unlabelled.size());
  return {std::max<int64_t>(1, static_cast<int64_t>(time / step)), evaluations};
}

bool Minutes::due() {
  if (looks_ == kLooks.size() || passed() < kLooks[looks_] * budget_) return false;
  ++looks_;
  return true;
}

int64_t Minutes::steps(int64_t done, double seconds) {
  // A method's first steps may be cheaper than its later ones.
  const auto steps = std::max<int64_t>(1, done - last_done_);
  const double each = (seconds - last_seconds_) / static_cast<double>(steps);
  last_done_ = done;
  last_seconds_ = seconds;
  return done + std::max<int64_t>(1, static_cast<int64_t>(left() / each));
}

}  // namespace penumbra::app
