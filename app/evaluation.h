#pragma once
#include <optional>
#include <string>
#include <vector>

#include "penumbra/core/json.h"
#include "penumbra/evaluate/intervals.h"
#include "penumbra/evaluate/metrics.h"
#include "penumbra/evaluate/scores.h"
#include "penumbra/evaluate/verdicts.h"

namespace penumbra::app {

// What is said of pictures of something else.
struct Estranged {
  std::string name;
  int64_t images = 0;
  std::optional<int64_t> unfamiliar;  // where the model has uncertainties
};

struct Evaluation {
  std::string data, model;
  int64_t labels_used = 0, validation_labels = 0;
  std::vector<std::string> classes;
  bool sampled = true;  // are there intervals, beside that of the accuracy?
  Metrics metrics;
  MetricIntervals intervals;
  Calibration calibration;  // as the model says it
  CalibrationIntervals calibration_intervals;
  std::optional<Verdicts> verdicts;           // where the model has uncertainties
  CalibrationIntervals calibrated_intervals;  // of verdicts->calibration
  std::vector<Estranged> strangers;           // as asked for
  std::vector<ScoreQuality> scores;           // on test images, and on strangers
  std::string estimator;                      // that gives the verdicts' score
  std::string twin;                           // that score by the name of its estimator, if there
};

std::string to_text(const Evaluation& evaluation);
Json to_json(const Evaluation& evaluation);
// pictures,of,metric,value,low,high: a line for each number.
std::string to_csv(const Evaluation& evaluation);

}  // namespace penumbra::app
