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

// How well each of these scores, all of the same pictures, tells strangers: the samples are drawn
// once for all.
struct DetectionIntervals {
  Interval auroc, aupr_out, aupr_in, fpr95;
};
std::vector<DetectionIntervals> detection_intervals(const std::vector<RankedScores>& scores,
                                                    const Bootstrap& how);

// What is gained by answering only where a score is low, likewise.
struct SelectiveIntervals {
  Interval aurc, augrc, coverage_at_5_risk, risk_at_80_coverage;
};
std::vector<SelectiveIntervals> selective_intervals(const std::vector<RankedAnswers>& scores,
                                                    const Bootstrap& how);

}  // namespace penumbra
