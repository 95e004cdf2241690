#pragma once
#include <torch/types.h>

#include <cmath>
#include <string>

#include "penumbra/core/options.h"

namespace penumbra {

// Which views of labelled images a method learns from: its option `labelled`.
struct LabelledViews {
  std::string labelled = "weak";

  void read(Options& options) {
    options.read_choice("labelled", labelled, {"weak", "strong", "both"},
                        "views of labelled images; both: one half of a batch each");
  }
  // For Views::labelled_strong.
  double strong_share() const { return labelled == "weak" ? 0 : labelled == "both" ? 0.5 : 1; }

  // The weak ones of a batch's labelled images, which lie behind the strong ones.
  torch::Tensor weak_of(const torch::Tensor& images) const {
    const auto rows = static_cast<double>(images.size(0));
    return images.slice(0, static_cast<int64_t>(std::ceil(strong_share() * rows)));
  }
};

}  // namespace penumbra
