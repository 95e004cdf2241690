// MixMatch: labelled images and guessed labels of unlabelled ones are mixed with each other, and
// the mixtures learnt.
// Berthelot et al. 2019, https://arxiv.org/abs/1905.02249, Eq. 3-13.

#include <torch/nn/functional/loss.h>

#include "penumbra/loss/guess.h"
#include "penumbra/loss/mixup.h"
#include "penumbra/loss/ramp.h"
#include "penumbra/method/interleave.h"
#include "penumbra/method/method.h"

namespace penumbra {
namespace {

class MixMatch final : public Method {
 public:
  explicit MixMatch(Options& options) {
    options.read("weak", weak_, {1, 16}, "views that a label is guessed from (K)");
    options.read("temperature", temperature_, {0.01, 1}, "of sharpening (T)");
    options.read("beta", beta_, {0.01, 100}, "of the Beta distribution of mixtures (alpha)");
    options.read("weight", weight_, {0, 1e4}, "of the unlabelled loss (lambda_U)");
    options.read("ramp_up", ramp_up_, {0, 1},
                 "share of the run over which the weight rises from 0");
    options.read("ratio", ratio_, {0.125, 64}, "unlabelled images per labelled one");
    labelled_.read(options);
    options.read_choice("forward", forward_, {"joint", "interleave"},
                        "joint: all mixtures in one batch; interleave: in batches of the labelled "
                        "images' number, as the authors do");
  }

  Views views() const override { return {weak_, /*strong=*/0, ratio_, labelled_.strong_share()}; }
  Defaults defaults() const override { return {0, 0, true}; }

  Step step(const Forward& student, const Forward&, const Batch& batch) override {
    namespace F = torch::nn::functional;
    const auto guess = this->guess(student, batch);
    const auto rows = batch.images.size(0), all = batch.all.size(0);
    const auto known = torch::one_hot(batch.labels, guess.size(1)).to(guess);
    const auto targets = torch::cat({known, guess.repeat({weak_, 1})});
    const auto [images, labels] = loss::mix_rows(batch.all, targets, beta_, generator_of(batch));

    const auto said = forward_ == "joint" ? student(images)
                                          : interleaved(student, images, rows, batch.index.size(0));
    const auto logits = said.logits.slice(0, rows), mixed = labels.slice(0, rows);
    const auto supervised =
        F::cross_entropy(said.logits.slice(0, 0, rows), labels.slice(0, 0, rows));
    const auto squared = F::mse_loss(logits.softmax(1), mixed);
    Step step;
    step.loss = supervised + weight_ * loss::linear_ramp(batch.progress, ramp_up_) * squared;
    step.report = {{"loss/supervised", supervised.item<double>()},
                   {"loss/consistency", squared.item<double>()}};
    step.pseudo_labels = guess.argmax(1);
    step.evidence = {said.features.slice(0, 0, rows), said.features.slice(0, rows), logits, mixed,
                     torch::ones({all - rows}).to(logits)};
    return step;
  }

 private:
  // sharpen_T(mean over K views of softmax(student)), [mu B, classes]
  torch::Tensor guess(const Forward& student, const Batch& batch) const {
    const torch::NoGradGuard no_gradient;
    const auto logits = student(batch.all.slice(0, batch.images.size(0))).logits;
    return loss::sharpen(loss::average_guess(logits.split(batch.index.size(0))), temperature_);
  }

  int64_t weak_ = 2;
  double temperature_ = 0.5, beta_ = 0.75, weight_ = 75, ramp_up_ = 1.0 / 64, ratio_ = 1;
  LabelledViews labelled_;
  std::string forward_ = "joint";
};

}  // namespace

extern const MethodPlugin method_mixmatch =
    plugin<Method, MixMatch>("guessed and known labels, mixed with each other");

}  // namespace penumbra
