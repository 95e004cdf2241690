#include "penumbra/method/guessing.h"

#include <torch/nn/functional/loss.h>

#include "penumbra/core/error.h"
#include "penumbra/data/images.h"
#include "penumbra/loss/guess.h"
#include "penumbra/method/interleave.h"

namespace penumbra {

Guessing::Guessing(Options& options, bool masks) {
  options.read("threshold", threshold_, {0, 1},
               "trust a soft label only above this confidence (tau)");
  options.read("temperature", temperature_, {0.01, 1}, "of sharpening (T)");
  options.read("weak", weak_, {1, 16}, "weak views that the teacher guesses from (K)");
  options.read("strong", strong_, {1, 16}, "strong views that the student learns from (S)");
  options.read("ratio", ratio_, {0.125, 64}, "unlabelled images per labelled one (mu)");
  labelled_.read(options);
  if (masks) strong_views_.read(options);
  options.read_choice("forward", forward_, {"joint", "interleave"},
                      "joint: labelled and strong views in one batch; interleave: in batches of "
                      "the labelled size, as SimPLE's authors do for batch norm");
  if (forward_ == "interleave" && skips())
    fail(
        "forward = interleave needs every strong view, skip_untrusted = true leaves some out: "
        "expected --set method.forward=joint with it");
}

Views Guessing::views() const { return {weak_, strong_, ratio_, labelled_.strong_share()}; }

Guessing::Guess Guessing::guess(const Forward& teacher, const Batch& batch) const {
  const torch::NoGradGuard no_gradient;
  const auto unlabelled = batch.index.size(0), rows = weak_ * unlabelled;
  Guess guess;
  guess.said = teacher(batch.all.slice(0, batch.all.size(0) - rows));
  guess.raw = loss::average_guess(guess.said.logits.split(unlabelled));
  guess.sharp = loss::sharpen(guess.raw, temperature_);
  return guess;
}

Step Guessing::learn(const Forward& student, const Batch& batch, const torch::Tensor& targets,
                     const torch::Tensor& mask) const {
  const auto labelled = batch.images.size(0);
  const auto rows = labelled + strong_ * batch.index.size(0);
  const auto said = forward_ == "interleave" ? interleaved(student, batch.all.narrow(0, 0, rows),
                                                           labelled, batch.index.size(0))
                                             : strong_views_.forward(student, batch, strong_, mask);
  Step step;
  step.loss =
      torch::nn::functional::cross_entropy(said.logits.narrow(0, 0, labelled), batch.labels);
  step.evidence = {said.features.narrow(0, 0, labelled), said.features.slice(0, labelled),
                   said.logits.slice(0, labelled), targets.repeat({strong_, 1}),
                   mask.to(said.logits).repeat({strong_})};
  step.report = {{"loss/supervised", step.loss.item<double>()},
                 {"mask", step.evidence.mask.mean().item<double>()}};
  step.pseudo_labels = targets.argmax(1).masked_fill(~mask, kUnlabelled);
  return step;
}

}  // namespace penumbra
