#include "penumbra/method/anchoring.h"

#include <torch/nn/functional/loss.h>

#include "penumbra/core/error.h"
#include "penumbra/data/images.h"
#include "penumbra/loss/consistency.h"

namespace penumbra {

Anchoring::Anchoring(Options& options, bool masks) {
  options.read("weight", weight_, {0, 1e3}, "of the unlabelled loss (lambda_u)");
  options.read("ratio", ratio_, {0.125, 64}, "unlabelled images per labelled one (mu)");
  labelled_.read(options);
  if (masks) strong_.read(options);
  options.read_choice("labeller", labeller_, {"student", "teacher"},
                      "who labels weak views: the student, as the authors have it, or its average");
  options.read_choice("forward", forward_, {"split", "joint"},
                      "split: weak views first, without gradient, at a quarter of the cost; "
                      "joint: all views in one batch, as the authors do");
  if (forward_ == "joint" && labeller_ == "teacher")
    fail(
        "forward = joint puts weak views through the student, labeller = teacher does not: "
        "expected --set method.labeller=student with it");
  if (forward_ == "joint" && strong_.skip_untrusted)
    fail(
        "forward = joint computes every view at once, skip_untrusted = true does not: expected "
        "--set method.forward=split with it");
}

Views Anchoring::views() const {
  return {/*weak=*/1, /*strong=*/1, ratio_, labelled_.strong_share()};
}

Defaults Anchoring::defaults(bool soft_targets) const {
  Defaults defaults;
  defaults.soft_targets = soft_targets;
  defaults.skips = strong_.skip_untrusted;
  return defaults;
}

Anchoring::Learnt Anchoring::learn(const Forward& student, const Forward& teacher,
                                   const Batch& batch, const Label& label) const {
  const auto labelled = batch.images.size(0), unlabelled = batch.index.size(0);
  Output said;
  Labels labels;
  if (forward_ == "joint") {
    said = student(batch.all);  // weak views lie behind the others
    labels = label(said.logits.narrow(0, labelled + unlabelled, unlabelled).detach());
  } else {
    torch::Tensor weak;
    {
      const torch::NoGradGuard no_gradient;
      weak = (labeller_ == "teacher" ? teacher : student)(batch.weak[0]).logits;
    }
    labels = label(weak);
    said = strong_.forward(student, batch, 1, labels.trust);
  }
  const auto& [targets, trust] = labels;
  const auto known = said.logits.narrow(0, 0, labelled);
  const auto strong = said.logits.narrow(0, labelled, unlabelled);
  const auto supervised = torch::nn::functional::cross_entropy(known, batch.labels);
  const auto consistency = loss::masked_cross_entropy(strong, targets, trust);
  const bool soft = targets.dim() == 2;
  Step step;
  step.loss = supervised + weight_ * consistency;
  step.report = {{"loss/supervised", supervised.item<double>()},
                 {"loss/consistency", consistency.item<double>()},
                 {"mask", trust.to(torch::kFloat).mean().item<double>()}};
  step.pseudo_labels = (soft ? targets.argmax(1) : targets).masked_fill(trust == 0, kUnlabelled);
  step.evidence = {said.features.narrow(0, 0, labelled),
                   said.features.narrow(0, labelled, unlabelled), strong,
                   soft ? targets : torch::Tensor(), trust.to(strong)};
  return {step, known};
}

}  // namespace penumbra
