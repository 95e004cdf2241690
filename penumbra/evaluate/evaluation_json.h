#pragma once
#include <string>
#include <vector>

#include "penumbra/core/json.h"
#include "penumbra/evaluate/metrics.h"
#include "penumbra/evaluate/verdicts.h"

namespace penumbra {

// What evaluate and report write of a model, in the same words.

Json or_null(const std::optional<double>& value);

// images, accuracy with its interval, top5, balanced_accuracy, nll
Json to_json(const Metrics& metrics);
// class, images, precision, recall of each; null where there is nothing to count
Json per_class_json(const Metrics& metrics, const std::vector<std::string>& classes);
// nll, brier, ece, aece, mce, and the bins of the reliability diagram
Json to_json(const Calibration& calibration);
// images and right ones of each verdict
Json to_json(const Verdicts& verdicts);

}  // namespace penumbra
