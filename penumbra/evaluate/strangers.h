#pragma once
#include <string>
#include <vector>

#include "penumbra/evaluate/detection.h"
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
  double own_errors = 0;              // AUROC: do wrong predictions score above right ones?
  Selective selective;                // what is gained by answering only where it is low
  std::vector<Detection> detections;  // of each set of strangers
};

// Every estimator, fitted to the run's training images, on what the model says of test images
// (with their labels) and of strangers.
std::vector<ScoreQuality> compare_scores(Classifier& classifier, const Experiment& experiment,
                                         const Output& test, const torch::Tensor& labels,
                                         const std::vector<Output>& strangers);

}  // namespace penumbra
