#pragma once
#include "penumbra/train/experiment.h"

namespace penumbra {

// Some images as training saw them, and what the model says of them now.
struct SeenGroup {
  Output said;
  torch::Tensor labels;    // [N] int64, kUnlabelled where nobody knows; of unlabelled images hidden
  torch::Tensor pictures;  // [N, H, W, C] uint8, the views themselves
};

struct SeenViews {
  SeenGroup labelled, weak, strong;  // the last two of the same images
  std::string others;                // what these are: unlabelled, or labelled where none are
};

// At most `count` labelled and unlabelled images together, a quarter of them labelled.
SeenViews look_at_views(const Experiment& experiment, Classifier& classifier, int64_t count);

}  // namespace penumbra
