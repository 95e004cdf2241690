// FixMatch: trust the label predicted for a weakly augmented image, when
// confident, as the target for a strongly augmented copy of the same image.
// Sohn et al. 2020, https://arxiv.org/abs/2001.07685, Eq. 3-4.

#include <torch/nn/functional/loss.h>

#include "penumbra/data/images.h"
#include "penumbra/loss/consistency.h"
#include "penumbra/method/method.h"

namespace penumbra {
namespace {

struct FixMatchOptions {
  double threshold = 0.95;        // tau
  double weight = 1;              // lambda_u
  double ratio = 7;               // mu
  std::string labels = "hard";    // or soft
  std::string labelled = "weak";  // views of labelled images
  std::string forward = "split";  // how the views go through the network

  explicit FixMatchOptions(Options& options) {
    options.read("threshold", threshold, {0, 1},
                 "keep a pseudo-label only at or above this confidence (tau)");
    options.read("weight", weight, {0, 1e3}, "of the unlabelled loss (lambda_u)");
    options.read("ratio", ratio, {0.125, 64}, "unlabelled images per labelled one (mu)");
    options.read_choice("labels", labels, {"hard", "soft"},
                        "pseudo-labels: the most likely class, or all probabilities");
    options.read_choice("labelled", labelled, {"weak", "strong"}, "views of labelled images");
    options.read_choice("forward", forward, {"split", "joint"},
                        "split: weak views first, without gradient, at a quarter of the cost; "
                        "joint: all views in one batch, as the authors do");
  }
};

class FixMatch final : public Method {
 public:
  explicit FixMatch(Options& options) : options_(options) {}

  Views views() const override {
    return {/*weak=*/1, /*strong=*/1, options_.ratio, options_.labelled == "strong"};
  }
  Complements complements() const override { return {0, 0, soft()}; }

  Step step(const Forward& student, const Forward&, const Batch& batch) override {
    const auto said = forward(student, batch);
    const auto supervised =
        torch::nn::functional::cross_entropy(said.labelled.logits, batch.labels);
    const auto pseudo = loss::pseudo_labels(said.weak);
    const auto mask = pseudo.confidence >= options_.threshold;
    const auto targets = said.weak.detach().softmax(1);
    const auto& logits = said.strong.logits;
    const auto consistency = soft() ? loss::masked_cross_entropy(logits, targets, mask)
                                    : loss::masked_cross_entropy(logits, pseudo.target, mask);
    Step step{supervised + options_.weight * consistency,
              {{"loss/supervised", supervised.item<double>()},
               {"loss/consistency", consistency.item<double>()},
               {"mask", mask.to(torch::kFloat).mean().item<double>()}},
              pseudo.target.masked_fill(~mask, kUnlabelled),
              {said.labelled.features, said.strong.features, logits, {}, mask.to(logits)}};
    if (soft()) step.evidence.targets = targets;
    return step;
  }

 private:
  struct Said {
    Output labelled, strong;
    torch::Tensor weak;  // logits
  };

  bool soft() const { return options_.labels == "soft"; }

  Said forward(const Forward& student, const Batch& batch) const {
    const auto labelled = batch.images.size(0), unlabelled = batch.index.size(0);
    // Labelled and strong views lie side by side in the batch's memory, weak ones behind them.
    const auto split = [&](const Output& all) {
      const auto rows = [&](int64_t begin, int64_t size) {
        return Output{all.logits.narrow(0, begin, size), all.features.narrow(0, begin, size), {}};
      };
      return Said{rows(0, labelled), rows(labelled, unlabelled), {}};
    };
    if (options_.forward == "joint") {
      const auto all = student(batch.all);
      auto said = split(all);
      said.weak = all.logits.narrow(0, labelled + unlabelled, unlabelled);
      return said;
    }
    torch::Tensor weak;
    {
      const torch::NoGradGuard no_gradient;
      weak = student(batch.weak[0]).logits;
    }
    auto said = split(student(batch.all.narrow(0, 0, labelled + unlabelled)));
    said.weak = weak;
    return said;
  }

  FixMatchOptions options_;
};

}  // namespace

extern const MethodPlugin method_fixmatch =
    plugin<Method, FixMatch>("confident weak-view labels supervise the strong view");

}  // namespace penumbra
