// One minus the probability of the predicted class: what everybody has.
// Hendrycks and Gimpel 2017, https://arxiv.org/abs/1610.02136

#include "penumbra/uncertainty/estimator.h"

namespace penumbra {
namespace {

class MaxProbability final : public Estimator {
 public:
  explicit MaxProbability(Options&) {}

  torch::Tensor score(const Output& output) const override {
    return 1 - output.logits.softmax(1).amax(1);
  }
};

}  // namespace

extern const EstimatorPlugin estimator_max_probability =
    plugin<Estimator, MaxProbability>("one minus the probability of the predicted class");

}  // namespace penumbra
