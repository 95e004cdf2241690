#pragma once
#include <string>
#include <vector>

#include "penumbra/evaluate/detection.h"
#include "penumbra/evaluate/intervals.h"
#include "penumbra/evaluate/selective.h"
#include "penumbra/train/experiment.h"

namespace penumbra {

// Pictures of something else than what a model was trained on, in the shape that it takes.
struct Strangers {
  std::string name;  // as it was given
  Images images;
};

// The test pictures of a dataset (its training pictures where it has none), or those of a folder;
// ten thousand at the most. Pictures of another size or with other channels are converted. Throws
// Error for the run's own data.
Strangers open_strangers(const std::string& name_or_path, const std::filesystem::path& root,
                         Reading& reading, const Experiment& experiment);

// How good one score is.
struct ScoreQuality {
  std::string score;                  // an estimator's name, and what is unusual about it
  Interval own_errors;                // AUROC: do wrong predictions score above right ones?
  Interval aurc;                      // selective.aurc
  Selective selective;                // what is gained by answering only where it is low
  std::vector<Detection> detections;  // of each set of strangers
  std::vector<Interval> auroc;        // of detections
};

// Every estimator, fitted to the run's training images, on what the model says of test images
// (with their labels) and of strangers. `done(n, of)` is called between them.
std::vector<ScoreQuality> compare_scores(Classifier& classifier, const Experiment& experiment,
                                         const Output& test, const torch::Tensor& labels,
                                         const std::vector<Output>& strangers, const Bootstrap& how,
                                         const std::function<void(int64_t, int64_t)>& done);

}  // namespace penumbra
