#pragma once
#include "penumbra/method/strong_views.h"

namespace penumbra {

// What SimPLE and penumbra share: the teacher's guess for K weak views of an unlabelled image is
// the soft label of S strong views.
class Guessing {
 public:
  // `masks`: strong views count only where the mask keeps them, and may be skipped elsewhere.
  Guessing(Options& options, bool masks);

  Views views() const;

  struct Guess {
    Output said;               // of the K weak views, view after view [K mu B, ...]
    torch::Tensor raw, sharp;  // [mu B, classes]: mean over K of softmax, and sharpened
  };
  Guess guess(const Forward& teacher, const Batch& batch) const;

  // What the student says of labelled and strong views: the supervised loss, and evidence with
  // targets [mu B, classes] and mask [mu B] bool repeated for every strong view.
  Step learn(const Forward& student, const Batch& batch, const torch::Tensor& targets,
             const torch::Tensor& mask) const;

  double threshold() const { return threshold_; }
  int64_t weak() const { return weak_; }
  int64_t strong() const { return strong_; }
  const LabelledViews& labelled() const { return labelled_; }
  bool skips() const { return strong_views_.skip_untrusted; }

 private:
  double threshold_ = 0.95, temperature_ = 0.5, ratio_ = 1;
  int64_t weak_ = 2, strong_ = 7;
  std::string forward_ = "joint";
  LabelledViews labelled_;
  StrongViews strong_views_;
};

}  // namespace penumbra
