// Entropy of the predicted probabilities, divided by that of all classes being equally likely:
// 0 where one class is certain, 1 where none is preferred.

#include <cmath>

#include "penumbra/uncertainty/estimator.h"

namespace penumbra {
namespace {

class Entropy final : public Estimator {
 public:
  explicit Entropy(Options&) {}

  torch::Tensor score(const Output& output) const override {
    const auto log = output.logits.log_softmax(1);
    return -(log.exp() * log).sum(1) / std::log(static_cast<double>(output.logits.size(1)));
  }
};

}  // namespace

extern const EstimatorPlugin estimator_entropy =
    plugin<Estimator, Entropy>("entropy of the predicted probabilities, 0 to 1");

}  // namespace penumbra
