// Pseudo-label: what the model predicts for an unlabelled image, when confident, is its label.
// Lee 2013, "Pseudo-Label: The Simple and Efficient Semi-Supervised Learning Method for Deep Neural
// Networks", with the threshold that later comparisons (Oliver et al. 2018) gave it.

#include <torch/nn/functional/loss.h>

#include "penumbra/data/images.h"
#include "penumbra/loss/consistency.h"
#include "penumbra/loss/ramp.h"
#include "penumbra/method/method.h"

namespace penumbra {
namespace {

class PseudoLabel final : public Method {
 public:
  explicit PseudoLabel(Options& options) {
    options.read("threshold", threshold_, {0, 1}, "keep a label only at or above this confidence");
    options.read("weight", weight_, {0, 1e3}, "of the unlabelled loss (alpha_f)");
    options.read("ramp_up", ramp_up_, {0, 1},
                 "share of the run over which the weight rises from 0");
    options.read("ratio", ratio_, {0.125, 64}, "unlabelled images per labelled one");
    labelled_.read(options);
  }

  Views views() const override {
    return {/*weak=*/1, /*strong=*/0, ratio_, labelled_.strong_share()};
  }

  Step step(const Forward& student, const Forward&, const Batch& batch) override {
    const auto said = student(batch.all);
    const auto labelled = batch.images.size(0);
    const auto logits = said.logits.slice(0, labelled);
    const auto supervised =
        torch::nn::functional::cross_entropy(said.logits.narrow(0, 0, labelled), batch.labels);
    const auto pseudo = loss::pseudo_labels(logits);
    const auto mask = pseudo.confidence >= threshold_;
    const auto guessed = loss::masked_cross_entropy(logits, pseudo.target, mask);
    Step step;
    step.loss = supervised + weight_ * loss::linear_ramp(batch.progress, ramp_up_) * guessed;
    step.report = {{"loss/supervised", supervised.item<double>()},
                   {"loss/pseudo_label", guessed.item<double>()},
                   {"mask", mask.to(torch::kFloat).mean().item<double>()}};
    step.pseudo_labels = pseudo.target.masked_fill(~mask, kUnlabelled);
    step.evidence.labelled_features = said.features.narrow(0, 0, labelled);
    step.evidence.strong_features = said.features.slice(0, labelled);
    return step;
  }

 private:
  double threshold_ = 0.95, weight_ = 1, ramp_up_ = 0.4, ratio_ = 1;
  LabelledViews labelled_;
};

}  // namespace

extern const MethodPlugin method_pseudo_label =
    plugin<Method, PseudoLabel>("confident predictions become labels of the same view");

}  // namespace penumbra
