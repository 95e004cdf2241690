// UDA: sharpened probabilities of a weak view, where confident, are the target of a strong view;
// labelled images that are already easy can be left out for a while.
// Xie et al. 2020, https://arxiv.org/abs/1904.12848, section 2.2 and 2.3.

#include <torch/nn/functional/loss.h>

#include <cmath>

#include "penumbra/loss/consistency.h"
#include "penumbra/method/anchoring.h"

namespace penumbra {
namespace {

class Uda final : public Method {
 public:
  explicit Uda(Options& options) : anchoring_(options) {
    options.read("threshold", threshold_, {0, 1},
                 "keep a target only at or above this confidence, before sharpening (beta)");
    options.read("temperature", temperature_, {0.01, 1}, "of sharpening (tau)");
    options.read_choice("annealing", annealing_, {"none", "linear", "log", "exp"},
                        "leave out labelled images whose class is likelier than a threshold that "
                        "rises from 1 / classes to 1 in this way");
  }

  Views views() const override { return anchoring_.views(); }
  Defaults defaults() const override { return anchoring_.defaults(/*soft_targets=*/true); }

  Step step(const Forward& student, const Forward& teacher, const Batch& batch) override {
    const auto label = [&](const torch::Tensor& weak) {
      return Anchoring::Labels{(weak / temperature_).softmax(1),
                               loss::pseudo_labels(weak).confidence >= threshold_};
    };
    auto [step, labelled] = anchoring_.learn(student, teacher, batch, label);
    if (annealing_ != "none") anneal(step, labelled, batch);
    return step;
  }

 private:
  double rise(double progress) const {
    if (annealing_ == "log") return 1 - std::exp(-5 * progress);
    return annealing_ == "exp" ? std::exp(5 * (progress - 1)) : progress;
  }

  // Puts sum_i keep_i H_i / sum_i keep_i in the place of the mean over labelled images.
  void anneal(Step& step, const torch::Tensor& logits, const Batch& batch) const {
    namespace F = torch::nn::functional;
    const double chance = 1 / static_cast<double>(logits.size(1));
    const double limit = chance + rise(batch.progress) * (1 - chance);
    const auto each = F::cross_entropy(logits, batch.labels,
                                       F::CrossEntropyFuncOptions().reduction(torch::kNone));
    const auto keep = ((-each.detach()).exp() <= limit).to(each);
    const auto annealed = (each * keep).sum() / keep.sum().clamp_min(1);
    step.loss = step.loss - each.mean() + annealed;
    step.report["loss/supervised"] = annealed.item<double>();
    step.report["labelled_kept"] = keep.mean().item<double>();
  }

  Anchoring anchoring_;
  double threshold_ = 0.8, temperature_ = 0.4;
  std::string annealing_ = "none";
};

}  // namespace

extern const MethodPlugin method_uda =
    plugin<Method, Uda>("sharpened probabilities of the weak view supervise the strong view");

}  // namespace penumbra
