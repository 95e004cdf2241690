#pragma once
#include <array>
#include <vector>

#include "penumbra/evaluate/calibration.h"
#include "penumbra/uncertainty/judge.h"

namespace penumbra {

inline constexpr std::array<Verdict, 3> kVerdicts{Verdict::kSure, Verdict::kAmbiguous,
                                                  Verdict::kUnfamiliar};

// How many labelled images get which verdict, and how many of those are classified right.
struct Verdicts {
  double temperature = 1;
  Calibration calibration;  // after it
  struct Count {
    int64_t images = 0, right = 0;
  };
  std::array<Count, 3> counts;  // in the order of kVerdicts
};

// What the judge says of a model's output [N, ...] for images with these labels [N].
Verdicts verdicts_of(const Judge& judge, const Output& output, const torch::Tensor& labels);

}  // namespace penumbra
