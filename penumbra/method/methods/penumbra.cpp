// Penumbra: the averaged guess of the teacher for weak views, where confident, is the soft target
// of strong views; how noisy a target is (L_UA) and how familiar a picture (L_UE) is learnt beside
// it. Kazemi 2022, "Complementing Semi-Supervised Learning with Uncertainty Quantification".
// What the paper leaves open is an option here or in complement.h, which adds L_UA and L_UE.

#include <torch/nn/functional/loss.h>

#include "penumbra/data/images.h"
#include "penumbra/loss/guess.h"
#include "penumbra/method/gate.h"
#include "penumbra/method/method.h"

namespace penumbra {
namespace {

struct PenumbraOptions {
  double threshold = 0.95, temperature = 0.5, ratio = 1;
  int64_t weak = 2, strong = 7;
  std::string pseudo = "sharpen", mask_on = "sharpened", mask_view = "weak", labelled = "weak";

  explicit PenumbraOptions(Options& options) {
    options.read("threshold", threshold, {0, 1},
                 "trust a soft label only above this confidence (tau)");
    options.read("temperature", temperature, {0.01, 1}, "of sharpening (T)");
    options.read("weak", weak, {1, 16}, "weak views that the teacher guesses from (K)");
    options.read("strong", strong, {1, 16}, "strong views that the student learns from (S)");
    options.read("ratio", ratio, {0.125, 64}, "unlabelled images per labelled one (mu)");
    options.read_choice("pseudo", pseudo, {"sharpen", "soft", "hard"},
                        "soft label: the sharpened guess, the guess, or its most likely class");
    options.read_choice("mask_on", mask_on, {"sharpened", "raw"},
                        "guess whose confidence is compared with the threshold");
    options.read_choice("mask_view", mask_view, {"weak", "strong"},
                        "views that must be confident: the teacher's weak ones or the strong one");
    options.read_choice("labelled", labelled, {"weak", "strong"}, "views of labelled images");
  }
};

class Penumbra final : public Method {
 public:
  explicit Penumbra(Options& options) : options_(options), gate_(options) {}

  Views views() const override {
    return {options_.weak, options_.strong, options_.ratio, options_.labelled == "strong"};
  }
  Complements complements() const override { return {75, 1, true}; }
  std::vector<NamedTensor> save() const override { return gate_.save(); }
  void load(const std::vector<NamedTensor>& state) override { gate_.load(state); }

  Step step(const Forward& student, const Forward& teacher, const Batch& batch) override {
    const auto guess = this->guess(teacher, batch);
    const auto labelled = batch.images.size(0), unlabelled = batch.index.size(0);
    // Labelled and strong views lie side by side in the batch's memory.
    const auto said = student(batch.all.narrow(0, 0, labelled + options_.strong * unlabelled));
    const auto supervised =
        torch::nn::functional::cross_entropy(said.logits.narrow(0, 0, labelled), batch.labels);

    Step step;
    auto& evidence = step.evidence;
    evidence.labelled_features = said.features.narrow(0, 0, labelled);
    evidence.strong_features = said.features.slice(0, labelled);
    evidence.strong_logits = said.logits.slice(0, labelled);
    evidence.targets = guess.targets.repeat({options_.strong, 1});
    evidence.mask = guess.mask.to(said.logits).repeat({options_.strong});
    if (options_.mask_view == "strong") {
      const auto sure = evidence.strong_logits.detach().softmax(1).amax(1) > options_.threshold;
      evidence.mask = (sure & guess.familiar.repeat({options_.strong})).to(said.logits);
    }
    step.loss = supervised;
    step.report = {{"loss/supervised", supervised.item<double>()},
                   {"mask", evidence.mask.mean().item<double>()}};
    if (gate_.on()) step.report["gate"] = guess.familiar.to(torch::kFloat).mean().item<double>();
    step.pseudo_labels = guess.targets.argmax(1).masked_fill(~guess.mask, kUnlabelled);
    return step;
  }

 private:
  struct Guess {
    torch::Tensor targets;   // [mu B, classes]
    torch::Tensor familiar;  // [mu B] bool: the gate lets it through
    torch::Tensor mask;      // [mu B] bool: confident and familiar
  };

  // q = sharpen_T(mean over K weak views of softmax(teacher)), m = [max q > tau]
  Guess guess(const Forward& teacher, const Batch& batch) {
    const torch::NoGradGuard no_gradient;
    const auto unlabelled = batch.index.size(0);
    const auto said = teacher(batch.all.narrow(0, batch.all.size(0) - options_.weak * unlabelled,
                                               options_.weak * unlabelled));
    const auto raw = loss::average_guess(said.logits.split(unlabelled));
    const auto sharp = loss::sharpen(raw, options_.temperature);
    Guess guess;
    guess.targets = options_.pseudo == "sharpen" ? sharp
                    : options_.pseudo == "soft"  ? raw
                                                 : loss::one_hot_guess(raw);
    guess.familiar = gate_.familiar(said, options_.weak, teacher, batch);
    const auto confidence = (options_.mask_on == "raw" ? raw : sharp).amax(1);
    guess.mask = (confidence > options_.threshold) & guess.familiar;
    return guess;
  }

  PenumbraOptions options_;
  Gate gate_;
};

}  // namespace

extern const MethodPlugin method_penumbra =
    plugin<Method, Penumbra>("soft labels of an averaged teacher, with both uncertainties");

}  // namespace penumbra
