#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "penumbra/augment/loader.h"
#include "penumbra/method/method.h"
#include "penumbra/model/ema.h"
#include "penumbra/train/optimiser.h"
#include "penumbra/train/schedule.h"

namespace penumbra {

struct TrainOptions {
  int64_t steps = 1000;
  int64_t batch = 64;        // labelled images per step (B)
  int64_t evaluations = 20;  // of the teacher on validation images, evenly over the run
  int64_t report_every = 0;  // steps between reports; 0: fifty in all
  double checkpoint_seconds = 60;
  Schedule schedule;
  OptimiserOptions optimiser;
  EmaOptions ema;

  TrainOptions() = default;
  explicit TrainOptions(Options& options);

  int64_t evaluate_every() const;
  void set_steps(int64_t count);
};

// Everything that a training needs; the parts are the caller's.
struct Training {
  Source source;  // images, split, views, policies, normalisation
  std::shared_ptr<Classifier> student;
  Method* method = nullptr;
  TrainOptions options;
  uint64_t seed = 0;
  Precision precision = Precision::kFp32;
  Kernels kernels = fastest_kernels();
  std::filesystem::path state;  // folder of checkpoints; empty: none are written
  std::string fingerprint;      // of configuration and data: a checkpoint of another is refused
};

// A line of the log: numbers by name, averaged over the steps since the last report.
struct TrainReport {
  int64_t step = 0, steps = 0;  // steps done, of all
  double seconds = 0;           // of training so far, earlier parts of a resumed run included
  double images_per_second = 0;
  std::map<std::string, double> numbers;
};

// What the caller does while it trains. All are optional.
struct TrainEvents {
  std::function<void(const TrainReport&)> report = [](const TrainReport&) {};
  std::function<void(const std::string&)> note = [](const std::string&) {};  // plain words
  std::function<void(int64_t step)> begin = [](int64_t) {};  // steps done before; 0: none
  // Accuracy of the teacher on validation images, 0 to 1; empty: no validation set.
  std::function<double(Classifier& teacher)> validate;
  std::function<void(Classifier& teacher, int64_t step)> best = [](Classifier&, int64_t) {};
  // Comes before a checkpoint: what the run will not make again must be on the disk by then.
  std::function<void()> keep = [] {};
  std::function<bool()> stop = [] { return false; };
};

// Surveys (method.h) that were due, those due at once being made as one. They are no steps, and may
// take as long as hundreds of them.
struct SurveyCost {
  int64_t surveys = 0;
  double seconds = 0;
};

struct TrainResult {
  std::shared_ptr<Classifier> teacher;  // the last one
  int64_t steps = 0;                    // done
  double progress = 0;                  // share of the run that they are
  bool finished = false;                // false: asked to stop; the checkpoint holds it all
  double best_accuracy = -1;            // on validation images; -1 without any
  int64_t best_step = 0;
  double seconds = 0;      // earlier parts of a resumed run included
  SurveyCost survey_cost;  // of this part
};

// Trains from the newest good checkpoint in `training.state`, or from the start. Throws Error when
// the loss stops being finite; the last checkpoint is then still good.
TrainResult train(const Training& training, const TrainEvents& events);

// How long one step takes, in seconds, the median: tries some on a copy for so long, at least
// `further` after a first one that does not count, as they are when the share `progress` of the run
// lies behind, every view computed; and leaves no trace. For budgets in minutes.
double measure_step(const Training& training, double seconds, int further = 0, double progress = 0);

}  // namespace penumbra
