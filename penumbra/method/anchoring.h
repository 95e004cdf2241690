#pragma once
#include "penumbra/method/method.h"

namespace penumbra {

// What the student said of one batch.
struct Anchored {
  Output labelled, strong;  // [B, ...] and [mu B, ...], with gradient
  torch::Tensor weak;       // logits [mu B, classes], without
};

// What FixMatch and its kin share: the student, or the teacher if asked, labels a weak view of each
// unlabelled image, and the student learns that label for a strong view of it.
class Anchoring {
 public:
  explicit Anchoring(Options& options);

  Views views() const;
  Anchored forward(const Forward& student, const Forward& teacher, const Batch& batch) const;

  // supervised + weight / (mu B) sum_i trust_i H(target_i, softmax(strong_i))
  // for targets [mu B] int64 or [mu B, classes], and trust [mu B] from 0 to 1.
  Step step(const Anchored& said, const Batch& batch, const torch::Tensor& targets,
            const torch::Tensor& trust) const;

 private:
  double weight_ = 1;  // lambda_u
  double ratio_ = 7;   // mu
  LabelledViews labelled_;
  std::string labeller_ = "student";
  std::string forward_ = "split";  // how the views go through the network
};

}  // namespace penumbra
