#pragma once
#include <torch/types.h>

#include <vector>

namespace penumbra {

// Images of like confidence: how sure the model was of them on average, and how often right.
struct ReliabilityBin {
  double confidence = 0, accuracy = 0;
  int64_t images = 0;
};

// Does what is said with probability p come true in a share p of cases?
struct Calibration {
  double brier = 0;         // mean over images of sum_c (p_c - [c is the label])^2
  double ece = 0;           // mean |confidence - accuracy| over images, in bins of equal width
  double adaptive_ece = 0;  // the same in bins of equally many images
  double mce = 0;           // the largest |confidence - accuracy| of a bin of equal width
  std::vector<ReliabilityBin> bins;  // of equal width
};

constexpr int64_t kReliabilityBins = 15;

// From logits [N, C] and labels [N]; `temperature` divides the logits.
Calibration calibration_of(const torch::Tensor& logits, const torch::Tensor& labels,
                           double temperature = 1);

}  // namespace penumbra
