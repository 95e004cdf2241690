// ReMixMatch: MixMatch whose guesses come from a weak view, are aligned with the classes' shares,
// and are learnt for several strong views; which way up a picture is, is learnt beside it.
// Berthelot et al. 2020, https://arxiv.org/abs/1911.09785, section 3.

#include <torch/nn/functional/loss.h>

#include "penumbra/loss/guess.h"
#include "penumbra/loss/mixup.h"
#include "penumbra/loss/ramp.h"
#include "penumbra/method/interleave.h"
#include "penumbra/method/method.h"

namespace penumbra {
namespace {

constexpr int64_t kRememberedBatches = 128;  // whose guesses are compared with the classes' shares

// Image i turned by i mod 4 quarters; where pictures are not square, by none or two.
struct Turned {
  torch::Tensor images, quarters;  // [N, C, H, W], [N] int64
};
Turned turn(const torch::Tensor& images) {
  const bool square = images.size(2) == images.size(3);
  auto quarters = torch::arange(images.size(0), torch::kLong).remainder(square ? 4 : 2);
  if (!square) quarters = quarters * 2;
  std::vector<torch::Tensor> turned;
  for (int64_t i = 0; i < images.size(0); ++i)
    turned.push_back(images[i].rot90(quarters[i].item<int64_t>(), {1, 2}));
  return {torch::stack(turned), quarters.to(images.device())};
}

class ReMixMatch final : public Method {
 public:
  explicit ReMixMatch(Options& options) {
    options.read("strong", strong_, {1, 16}, "strong views that learn a guess (K)");
    options.read("temperature", temperature_, {0.01, 1}, "of sharpening (T)");
    options.read("beta", beta_, {0.01, 100}, "of the Beta distribution of mixtures (alpha)");
    options.read("weight", weight_, {0, 1e4}, "of the mixtures' unlabelled loss (lambda_U)");
    options.read("unmixed_weight", unmixed_weight_, {0, 1e4},
                 "of the loss on one strong view that is not mixed (lambda_U1)");
    options.read("rotation_weight", rotation_weight_, {0, 1e4},
                 "of telling by how many quarters that view was turned (lambda_r)");
    options.read("ramp_up", ramp_up_, {0, 1},
                 "share of the run over which the first two weights rise from 0");
    options.read("ratio", ratio_, {0.125, 64}, "unlabelled images per labelled one");
    labelled_.read(options);
    options.read_choice("forward", forward_, {"joint", "interleave"},
                        "joint: mixtures and other views in one batch; interleave: mixtures in "
                        "batches of the labelled images' number, the others by themselves, as the "
                        "authors do");
  }

  Views views() const override { return {/*weak=*/1, strong_, ratio_, labelled_.strong_share()}; }
  Defaults defaults() const override { return {0, 0, true}; }

  std::vector<HeadSpec> heads(int64_t, int64_t) const override {
    if (rotation_weight_ == 0) return {};
    HeadSpec rotation;
    rotation.name = "rotation";
    rotation.outputs = 4;
    return {rotation};
  }

  void meet(const Pool& pool) override {
    shares_ = pool.labels.bincount({}, pool.classes).to(torch::kFloat);
    shares_ = shares_ / shares_.sum();
    guessed_ =
        torch::full({kRememberedBatches, pool.classes}, 1.0 / static_cast<double>(pool.classes));
  }

  Step step(const Forward& student, const Forward&, const Batch& batch) override {
    namespace F = torch::nn::functional;
    const auto guess = this->guess(student, batch);
    const auto labelled = batch.images.size(0), unlabelled = batch.index.size(0),
               all = batch.all.size(0);
    const auto known = torch::one_hot(batch.labels, guess.size(1)).to(guess);
    // Every view of an image, the weak one as well, has the same guess.
    const auto targets = torch::cat({known, guess.repeat({strong_ + 1, 1})});
    const auto [mixed, labels] = loss::mix_rows(batch.all, targets, beta_, generator_of(batch));

    std::vector<torch::Tensor> shown{mixed, batch.strong[0]};
    Turned turned;
    if (rotation_weight_ > 0) {
      turned = turn(batch.strong[0]);
      shown.push_back(turned.images);
    }
    const auto said = say(student, shown, labelled, unlabelled);
    const auto rows = [&](const torch::Tensor& tensor, int64_t begin, int64_t count) {
      return tensor.narrow(0, begin, count);
    };
    const auto supervised =
        F::cross_entropy(rows(said.logits, 0, labelled), rows(labels, 0, labelled));
    const auto mixture = F::cross_entropy(rows(said.logits, labelled, all - labelled),
                                          rows(labels, labelled, all - labelled));
    const auto unmixed = F::cross_entropy(rows(said.logits, all, unlabelled), guess);
    const double ramp = loss::linear_ramp(batch.progress, ramp_up_);
    Step step;
    step.loss = supervised + ramp * (weight_ * mixture + unmixed_weight_ * unmixed);
    step.report = {{"loss/supervised", supervised.item<double>()},
                   {"loss/mixture", mixture.item<double>()},
                   {"loss/unmixed", unmixed.item<double>()}};
    if (rotation_weight_ > 0) {
      const auto& head = said.heads.at("rotation");
      const auto rotation = F::cross_entropy(head.slice(0, -unlabelled), turned.quarters);
      step.report["loss/rotation"] = rotation.item<double>();
      step.loss = step.loss + rotation_weight_ * rotation;
    }
    step.pseudo_labels = guess.argmax(1);
    step.evidence = {rows(said.features, 0, labelled), rows(said.features, all, unlabelled),
                     rows(said.logits, all, unlabelled), guess,
                     torch::ones({unlabelled}).to(guess)};
    return step;
  }

  std::vector<NamedTensor> save() const override { return {{"guessed", guessed_}}; }
  void load(const std::vector<NamedTensor>& state) override {
    guessed_ = find_tensor(state, "guessed", guessed_).clone();
  }

 private:
  // sharpen_T(align(softmax(student(weak view)))), [mu B, classes]; aligned with the guesses of the
  // batches before, which begin as even ones.
  torch::Tensor guess(const Forward& student, const Batch& batch) {
    const torch::NoGradGuard no_gradient;
    const auto raw = student(batch.weak[0]).logits.softmax(1);
    const auto aligned = loss::align(raw, shares_, guessed_.mean(0));
    guessed_ = torch::cat({guessed_.slice(0, 1), raw.mean(0, /*keepdim=*/true).cpu().to(guessed_)});
    return loss::sharpen(aligned, temperature_);
  }

  // Of the mixtures and then the others. Heads: of the last rows at least, the turned views.
  Output say(const Forward& student, const std::vector<torch::Tensor>& shown, int64_t labelled,
             int64_t view) const {
    if (forward_ == "joint") return student(torch::cat(shown));
    auto said = interleaved(student, shown[0], labelled, view);
    for (std::size_t i = 1; i < shown.size(); ++i) {
      const auto part = student(shown[i]);
      said = {torch::cat({said.logits, part.logits}), torch::cat({said.features, part.features}),
              part.heads};
    }
    return said;
  }

  int64_t strong_ = 4;
  double temperature_ = 0.5, beta_ = 0.75, weight_ = 1.5, unmixed_weight_ = 0.5;
  double rotation_weight_ = 0.5, ramp_up_ = 1.0 / 64, ratio_ = 1;
  LabelledViews labelled_{"strong"};
  std::string forward_ = "joint";
  torch::Tensor shares_;   // [classes] of labelled images
  torch::Tensor guessed_;  // [128, classes] mean guesses, the newest last
};

}  // namespace

extern const MethodPlugin method_remixmatch =
    plugin<Method, ReMixMatch>("MixMatch with aligned guesses, strong views and rotation");

}  // namespace penumbra
