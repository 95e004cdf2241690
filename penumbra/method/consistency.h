#pragma once
#include "penumbra/method/method.h"

namespace penumbra {

// What pi_model and mean_teacher share: what is said of one weak view of an unlabelled image
// should be said of another.
class Consistency {
 public:
  // Reads `weight`, whose default it is given, ramp_up, ramp, ratio, labelled.
  Consistency(Options& options, double weight);

  Views views() const { return {/*weak=*/2, /*strong=*/0, ratio_, labelled_.strong_share()}; }

  // supervised + weight ramp mean over images and classes of (target - softmax(view))^2
  // `said` of the labelled images and then the first weak view, with gradient; targets
  // [mu B, classes] are probabilities, without.
  Step step(const Output& said, const torch::Tensor& targets, const Batch& batch) const;

 private:
  double weight_, ramp_up_ = 0.4, ratio_ = 1;
  std::string ramp_ = "linear";
  LabelledViews labelled_;
};

}  // namespace penumbra
