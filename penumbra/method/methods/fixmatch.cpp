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
  std::string forward = "split";  // how the views go through the network

  explicit FixMatchOptions(Options& options) {
    options.read("threshold", threshold, {0, 1},
                 "keep a pseudo-label only at or above this confidence (tau)");
    options.read("weight", weight, {0, 1e3}, "of the unlabelled loss (lambda_u)");
    options.read("ratio", ratio, {0.125, 64}, "unlabelled images per labelled one (mu)");
    options.read_choice("forward", forward, {"split", "joint"},
                        "split: weak views first, without gradient, at a quarter of the cost; "
                        "joint: all views in one batch, as the authors do");
  }
};

class FixMatch final : public Method {
 public:
  explicit FixMatch(Options& options) : options_(options) {}

  Views views() const override { return {/*weak=*/1, /*strong=*/1, options_.ratio}; }

  Step step(const Forward& student, const Forward&, const Batch& batch) override {
    const auto logits = forward(student, batch);
    const auto supervised = torch::nn::functional::cross_entropy(logits.labelled, batch.labels);
    const auto pseudo = loss::pseudo_labels(logits.weak);
    const auto mask = pseudo.confidence >= options_.threshold;
    const auto consistency = loss::masked_cross_entropy(logits.strong, pseudo.target, mask);
    return {supervised + options_.weight * consistency,
            {{"loss/supervised", supervised.item<double>()},
             {"loss/consistency", consistency.item<double>()},
             {"mask", mask.to(torch::kFloat).mean().item<double>()}},
            pseudo.target.masked_fill(~mask, kUnlabelled)};
  }

 private:
  struct Logits {
    torch::Tensor labelled, weak, strong;
  };

  Logits forward(const Forward& student, const Batch& batch) const {
    const auto labelled = batch.images.size(0), unlabelled = batch.index.size(0);
    if (options_.forward == "joint") {
      const auto parts =
          student(batch.all).logits.split_with_sizes({labelled, unlabelled, unlabelled});
      return {parts[0], parts[2], parts[1]};
    }
    torch::Tensor weak;
    {
      const torch::NoGradGuard no_gradient;
      weak = student(batch.weak[0]).logits;
    }
    // Labelled and strong views lie side by side in the batch's memory.
    const auto parts = student(batch.all.slice(0, 0, labelled + unlabelled))
                           .logits.split_with_sizes({labelled, unlabelled});
    return {parts[0], weak, parts[1]};
  }

  FixMatchOptions options_;
};

}  // namespace

extern const MethodPlugin method_fixmatch =
    plugin<Method, FixMatch>("confident weak-view labels supervise the strong view");

}  // namespace penumbra
