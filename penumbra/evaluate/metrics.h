#pragma once
#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace penumbra {

struct Interval {
  double value = 0, low = 0, high = 0;  // 95 %
};

struct ClassMetrics {
  int64_t images = 0;               // that are of this class
  std::optional<double> precision;  // none where no image was called so
  std::optional<double> recall;     // none where no image is of it
};

// What is true of a classifier on N labelled images.
struct Metrics {
  int64_t images = 0;
  Interval accuracy;
  double top5 = 0;               // the label is among the five most likely classes
  double balanced_accuracy = 0;  // mean recall over the classes that occur
  double nll = 0;                // mean of -log p(label)
  std::vector<ClassMetrics> per_class;
  std::vector<std::vector<int64_t>> confusion;  // [true class][predicted class]
};

// From logits [N, C] and labels [N] int64, 0 to C-1. No images, or a label out of range, is an
// Error.
Metrics measure(const torch::Tensor& logits, const torch::Tensor& labels);

// Wilson's interval for `hits` of `n`: unlike the normal one it is right near 0 and 1.
Interval wilson(int64_t hits, int64_t n);

}  // namespace penumbra
