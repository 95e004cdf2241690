#include "penumbra/method/consistency.h"

#include <torch/nn/functional/loss.h>

#include "penumbra/loss/ramp.h"

namespace penumbra {

Consistency::Consistency(Options& options, double weight) : weight_(weight) {
  options.read("weight", weight_, {0, 1e4}, "of the unlabelled loss");
  options.read("ramp_up", ramp_up_, {0, 1}, "share of the run over which the weight rises from 0");
  options.read_choice("ramp", ramp_, {"linear", "sigmoid"}, "how it rises");
  options.read("ratio", ratio_, {0.125, 64}, "unlabelled images per labelled one");
  labelled_.read(options);
}

Step Consistency::step(const Output& said, const torch::Tensor& targets, const Batch& batch) const {
  namespace F = torch::nn::functional;
  const auto labelled = batch.images.size(0), unlabelled = batch.index.size(0);
  const auto logits = said.logits.narrow(0, labelled, unlabelled);
  const auto supervised = F::cross_entropy(said.logits.narrow(0, 0, labelled), batch.labels);
  const auto apart = F::mse_loss(logits.softmax(1), targets);
  const auto rise = ramp_ == "linear" ? loss::linear_ramp : loss::sigmoid_ramp;
  Step step;
  step.loss = supervised + weight_ * rise(batch.progress, ramp_up_) * apart;
  step.report = {{"loss/supervised", supervised.item<double>()},
                 {"loss/consistency", apart.item<double>()}};
  step.pseudo_labels = targets.argmax(1);
  step.evidence = {said.features.narrow(0, 0, labelled),
                   said.features.narrow(0, labelled, unlabelled), logits, targets,
                   torch::ones({unlabelled}).to(logits)};
  return step;
}

}  // namespace penumbra
