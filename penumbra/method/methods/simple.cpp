// SimPLE: soft labels of an averaged teacher for strong views, and a pair loss that brings the
// predictions for images with alike labels together.
// Hu et al. 2021, https://arxiv.org/abs/2103.16725, Eq. 3-6.

#include <torch/nn/functional/loss.h>

#include "penumbra/loss/gaussian.h"
#include "penumbra/loss/pair.h"
#include "penumbra/method/guessing.h"

namespace penumbra {
namespace {

class Simple final : public Method {
 public:
  explicit Simple(Options& options) : guessing_(options, /*masks=*/false) {
    options.read("weight", weight_, {0, 1e4}, "of the squared error on strong views (lambda_u)");
    options.read("pair_weight", pair_weight_, {0, 1e4}, "of the pair loss (lambda_p)");
    options.read("similarity", similarity_, {0, 1}, "pairs count above this similarity (tau_s)");
  }

  Views views() const override { return guessing_.views(); }
  Defaults defaults() const override { return {0, 0, true}; }

  Step step(const Forward& student, const Forward& teacher, const Batch& batch) override {
    const auto targets = guessing_.guess(teacher, batch).sharp;
    const auto mask = targets.amax(1) > guessing_.threshold();
    auto step = guessing_.learn(student, batch, targets, mask);
    const auto& seen = step.evidence;
    const auto residual = seen.targets - seen.strong_logits.softmax(1);
    const auto squared = loss::weighted_mean(residual.square(), seen.mask, false);
    const auto pairs =
        loss::pair_loss(seen.strong_logits, seen.targets, guessing_.threshold(), similarity_);
    step.report["loss/consistency"] = squared.item<double>();
    step.report["loss/pairs"] = pairs.item<double>();
    step.loss = step.loss + weight_ * squared + pair_weight_ * pairs;
    return step;
  }

 private:
  Guessing guessing_;
  double weight_ = 75, pair_weight_ = 75, similarity_ = 0.9;
};

}  // namespace

extern const MethodPlugin method_simple =
    plugin<Method, Simple>("soft labels, and alike predictions for pairs with alike labels");

}  // namespace penumbra
