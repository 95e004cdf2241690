#pragma once
#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace penumbra {

// Which training images play which part: positions in the training set, ascending. Labelled,
// validation and test are disjoint; unlabelled is disjoint from them too, unless asked otherwise.
struct Split {
  std::vector<int64_t> labelled, unlabelled, validation;
  std::vector<int64_t> test;  // only where the data brings no test set of its own
};

struct SplitRequest {
  int64_t labels = 0;          // images whose label may be seen, equal over classes; 0: every one
  int64_t validation = -1;     // images to choose the model with; -1: by the rules below
  bool own_pictures = false;   // a person's folder and not a benchmark
  bool hold_out_test = false;  // own pictures without a test set
  bool labelled_too = false;   // the labelled images are also in `unlabelled` (FixMatch)
  uint64_t seed = 0;
};

// Random, class-balanced, from the seed alone. `labels` [N] int64, kUnlabelled where unknown.
//
// A benchmark: validation is a tenth of the images with a label, at most 5000, equal over classes,
// and comes from the labels that training does not see; `labels` images are labelled; the rest is
// unlabelled.
//
// Own pictures: first a stratified fifth of the labelled ones is the test set (hold_out_test);
// `labels` counts every label that is used after that, and a stratified fifth of those is
// validation, if that gives each class two; what is left is labelled. Hidden and missing labels
// are unlabelled; where there are none, the labelled pictures serve as unlabelled as well.
//
// Classes with too few images are an Error that lists them.
Split make_split(const torch::Tensor& labels, const std::vector<std::string>& classes,
                 const SplitRequest& request);

// Unlabelled positions that are not among the labelled ones, too.
std::vector<int64_t> unlabelled_alone(const Split& split);

// At most `most` of the positions, spread evenly over them.
std::vector<int64_t> evenly(const std::vector<int64_t>& positions, int64_t most);

}  // namespace penumbra
