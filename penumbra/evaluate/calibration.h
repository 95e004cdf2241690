#pragma once
#include <torch/types.h>

#include <vector>

namespace penumbra {

// Images of like confidence: how sure the model was of them on average, and how often right.
struct ReliabilityBin {
  double confidence = 0, accuracy = 0;
  int64_t images = 0;
};

// What calibration looks at of one image.
struct Answer {
  double confidence = 0;  // probability of the predicted class
  bool right = false;
  double brier = 0;  // sum_c (p_c - [c is the label])^2
  double nll = 0;    // -log p(label)
};

// Does what is said with probability p come true in a share p of cases?
struct Calibration {
  double nll = 0;    // mean of -log p(label)
  double brier = 0;  // mean of sum_c (p_c - [c is the label])^2
  double ece = 0;    // mean |confidence - accuracy| over images, in bins of equal width
  double aece = 0;   // adaptive: the same in bins of equally many images
  double mce = 0;    // the largest |confidence - accuracy| of a bin of equal width
  std::vector<ReliabilityBin> bins;  // of equal width
};

constexpr int64_t kReliabilityBins = 15;

// From logits [N, C] and labels [N], least confident first; `temperature` divides the logits.
std::vector<Answer> answers_of(const torch::Tensor& logits, const torch::Tensor& labels,
                               double temperature = 1);

// Answers are expected least confident first.
Calibration calibration_of(const std::vector<Answer>& answers);

Calibration calibration_of(const torch::Tensor& logits, const torch::Tensor& labels,
                           double temperature = 1);

}  // namespace penumbra
