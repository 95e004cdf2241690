// Pi-model: two views of an unlabelled image should get the same probabilities.
// Laine and Aila 2017, https://arxiv.org/abs/1610.02242, section 2.1; the target of the other view
// carries no gradient, as in later comparisons (Oliver et al. 2018).

#include "penumbra/method/consistency.h"

namespace penumbra {
namespace {

class PiModel final : public Method {
 public:
  explicit PiModel(Options& options) : consistency_(options, /*weight=*/10) {}

  Views views() const override { return consistency_.views(); }
  Defaults defaults() const override { return {0, 0, true}; }

  Step step(const Forward& student, const Forward&, const Batch& batch) override {
    const auto said = student(batch.all);  // labelled, first and second weak view
    const auto second = said.logits.slice(0, -batch.index.size(0)).detach();
    return consistency_.step(said, second.softmax(1), batch);
  }

 private:
  Consistency consistency_;
};

}  // namespace

extern const MethodPlugin method_pi_model =
    plugin<Method, PiModel>("two views of an image should get the same probabilities");

}  // namespace penumbra
