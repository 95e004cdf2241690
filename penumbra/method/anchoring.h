#pragma once
#include <functional>

#include "penumbra/method/strong_views.h"

namespace penumbra {

// What FixMatch and its kin share: the student, or the teacher if asked, labels a weak view of each
// unlabelled image, and the student learns that label for a strong view of it.
class Anchoring {
 public:
  // `masks`: some labels are not trusted at all, so that their strong views may be skipped.
  explicit Anchoring(Options& options, bool masks = true);

  Views views() const;
  // Of a method that has nothing else to say.
  Defaults defaults(bool soft_targets) const;

  // Targets [mu B] int64 or [mu B, classes], and trust [mu B] from 0 to 1.
  struct Labels {
    torch::Tensor targets, trust;
  };
  // From the logits of weak views [mu B, classes], without gradient.
  using Label = std::function<Labels(const torch::Tensor& weak)>;

  struct Learnt {
    Step step;
    torch::Tensor labelled;  // logits of labelled images [B, classes], with gradient
  };
  // supervised + weight / (mu B) sum_i trust_i H(target_i, softmax(strong_i))
  Learnt learn(const Forward& student, const Forward& teacher, const Batch& batch,
               const Label& label) const;

 private:
  double weight_ = 1;  // lambda_u
  double ratio_ = 7;   // mu
  LabelledViews labelled_;
  StrongViews strong_;
  std::string labeller_ = "student";
  std::string forward_ = "split";  // how the views go through the network
};

}  // namespace penumbra
