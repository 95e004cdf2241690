#pragma once
#include <torch/types.h>

#include "penumbra/evaluate/bootstrap.h"
#include "penumbra/evaluate/detection.h"
#include "penumbra/evaluate/selective.h"

namespace penumbra {

// How far the numbers of metrics.h would move with other test images of the same kind. (Accuracy
// has Wilson's interval, which needs no samples.)
struct MetricIntervals {
  Interval top5, balanced_accuracy;
};
MetricIntervals metric_intervals(const torch::Tensor& logits, const torch::Tensor& labels,
                                 const Bootstrap& how);

// The same of calibration.h.
struct CalibrationIntervals {
  Interval nll, brier, ece, aece;
};
CalibrationIntervals calibration_intervals(const torch::Tensor& logits, const torch::Tensor& labels,
                                           double temperature, const Bootstrap& how);

// AUROC of each of these scores, all of the same pictures: the samples are drawn once for all.
std::vector<Interval> auroc_intervals(const std::vector<RankedScores>& scores,
                                      const Bootstrap& how);

// The area under risk and coverage, likewise.
std::vector<Interval> aurc_intervals(const std::vector<RankedAnswers>& scores,
                                     const Bootstrap& how);

}  // namespace penumbra
