#pragma once
#include <torch/types.h>

#include "penumbra/evaluate/bootstrap.h"

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
  Interval nll, brier, ece, adaptive_ece;
};
CalibrationIntervals calibration_intervals(const torch::Tensor& logits, const torch::Tensor& labels,
                                           double temperature, const Bootstrap& how);

// Of detection.h: scores of familiar pictures and of strangers.
Interval auroc_interval(std::vector<double> familiar, std::vector<double> strangers,
                        const Bootstrap& how);

// Of selective.h.
Interval aurc_interval(const std::vector<double>& scores, const std::vector<bool>& wrong,
                       const Bootstrap& how);

}  // namespace penumbra
