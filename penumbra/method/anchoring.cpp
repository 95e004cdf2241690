#include "penumbra/method/anchoring.h"

#include <torch/nn/functional/loss.h>

#include "penumbra/core/error.h"
#include "penumbra/data/images.h"
#include "penumbra/loss/consistency.h"

namespace penumbra {

Anchoring::Anchoring(Options& options) {
  options.read("weight", weight_, {0, 1e3}, "of the unlabelled loss (lambda_u)");
  options.read("ratio", ratio_, {0.125, 64}, "unlabelled images per labelled one (mu)");
  labelled_.read(options);
  options.read_choice("labeller", labeller_, {"student", "teacher"},
                      "who labels weak views: the student, as the authors have it, or its average");
  options.read_choice("forward", forward_, {"split", "joint"},
                      "split: weak views first, without gradient, at a quarter of the cost; "
                      "joint: all views in one batch, as the authors do");
  if (forward_ == "joint" && labeller_ == "teacher")
    fail(
        "forward = joint puts weak views through the student, labeller = teacher does not: "
        "expected "
        "--set method.labeller=student with it");
}

Views Anchoring::views() const {
  return {/*weak=*/1, /*strong=*/1, ratio_, labelled_.strong_share()};
}

Anchored Anchoring::forward(const Forward& student, const Forward& teacher,
                            const Batch& batch) const {
  const auto labelled = batch.images.size(0), unlabelled = batch.index.size(0);
  // Labelled and strong views lie side by side in the batch's memory, weak ones behind them.
  const auto split = [&](const Output& all) {
    const auto rows = [&](int64_t begin, int64_t size) {
      return Output{all.logits.narrow(0, begin, size), all.features.narrow(0, begin, size), {}};
    };
    return Anchored{rows(0, labelled), rows(labelled, unlabelled), {}};
  };
  if (forward_ == "joint") {
    const auto all = student(batch.all);
    auto said = split(all);
    said.weak = all.logits.narrow(0, labelled + unlabelled, unlabelled).detach();
    return said;
  }
  torch::Tensor weak;
  {
    const torch::NoGradGuard no_gradient;
    weak = (labeller_ == "teacher" ? teacher : student)(batch.weak[0]).logits;
  }
  auto said = split(student(batch.all.narrow(0, 0, labelled + unlabelled)));
  said.weak = weak;
  return said;
}

Step Anchoring::step(const Anchored& said, const Batch& batch, const torch::Tensor& targets,
                     const torch::Tensor& trust) const {
  const auto supervised = torch::nn::functional::cross_entropy(said.labelled.logits, batch.labels);
  const auto& logits = said.strong.logits;
  const auto consistency = loss::masked_cross_entropy(logits, targets, trust);
  const bool soft = targets.dim() == 2;
  Step step;
  step.loss = supervised + weight_ * consistency;
  step.report = {{"loss/supervised", supervised.item<double>()},
                 {"loss/consistency", consistency.item<double>()},
                 {"mask", trust.to(torch::kFloat).mean().item<double>()}};
  step.pseudo_labels = (soft ? targets.argmax(1) : targets).masked_fill(trust == 0, kUnlabelled);
  step.evidence = {said.labelled.features, said.strong.features, logits,
                   soft ? targets : torch::Tensor(), trust.to(logits)};
  return step;
}

}  // namespace penumbra
