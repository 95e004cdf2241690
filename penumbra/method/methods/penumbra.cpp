// Penumbra: the averaged guess of the teacher for weak views, where confident, is the soft target
// of strong views; how noisy a target is (L_UA) and how familiar a picture (L_UE) is learnt beside
// it. Kazemi 2022, "Complementing Semi-Supervised Learning with Uncertainty Quantification".
// What the paper leaves open is an option here or in complement.h, which adds L_UA and L_UE.

#include "penumbra/loss/guess.h"
#include "penumbra/method/gate.h"
#include "penumbra/method/guessing.h"

namespace penumbra {
namespace {

class Penumbra final : public Method {
 public:
  explicit Penumbra(Options& options) : guessing_(options, /*masks=*/true), gate_(options) {
    options.read_choice("pseudo", pseudo_, {"sharpen", "soft", "hard"},
                        "soft label: the sharpened guess, the guess, or its most likely class");
    options.read_choice("mask_view", mask_view_, {"weak", "strong"},
                        "views that must be confident: the teacher's weak ones or the strong one");
    if (mask_view_ == "weak")
      options.read_choice("mask_on", mask_on_, {"sharpened", "raw"},
                          "guess whose confidence is compared with the threshold");
    if (gate_.on() && guessing_.labelled().labelled == "strong")
      fail(
          "the gate compares unlabelled images with weak views of labelled ones, labelled = strong "
          "has none: expected --set method.labelled=both with it");
    if (mask_view_ == "strong" && guessing_.skips())
      fail(
          "mask_view = strong looks at every strong view, skip_untrusted = true does not: expected "
          "--set method.mask_view=weak with it");
  }

  Views views() const override { return guessing_.views(); }
  Defaults defaults() const override {
    Defaults defaults;
    defaults.l_ua = 75;
    defaults.l_ue = 1;
    defaults.soft_targets = true;
    defaults.skips = guessing_.skips();
    defaults.needs_certificates = gate_.needs_certificates();
    defaults.needs_variance = gate_.needs_variance();
    return defaults;
  }
  std::vector<NamedTensor> save() const override { return gate_.save(); }
  void load(const std::vector<NamedTensor>& state) override { gate_.load(state); }

  // q = sharpen_T(mean over K weak views of softmax(teacher)), m = [max q > tau]
  Step step(const Forward& student, const Forward& teacher, const Batch& batch) override {
    const auto guess = guessing_.guess(teacher, batch);
    const auto familiar = gate_.familiar(guess.said, guessing_.weak(), teacher,
                                         guessing_.labelled().weak_of(batch.images));
    const auto confidence = (mask_on_ == "raw" ? guess.raw : guess.sharp).amax(1);
    const auto mask = (confidence > guessing_.threshold()) & familiar;
    auto step = guessing_.learn(student, batch, targets(guess), mask);
    if (mask_view_ == "strong") {
      auto& seen = step.evidence;
      const auto sure = seen.strong_logits.detach().softmax(1).amax(1) > guessing_.threshold();
      const auto kept = sure & familiar.repeat({guessing_.strong()});
      seen.mask = kept.to(seen.mask);
      step.report["mask"] = seen.mask.mean().item<double>();
      // A label counts where any of its views learns from it.
      const auto learnt = kept.view({guessing_.strong(), -1}).any(0);
      step.pseudo_labels = guess.sharp.argmax(1).masked_fill(~learnt, kUnlabelled);
    }
    if (gate_.on()) {
      step.evidence.familiar = familiar.repeat({guessing_.strong()});
      step.report["gate"] = familiar.to(torch::kFloat).mean().item<double>();
    }
    return step;
  }

 private:
  torch::Tensor targets(const Guessing::Guess& guess) const {
    if (pseudo_ == "sharpen") return guess.sharp;
    return pseudo_ == "soft" ? guess.raw : loss::one_hot_guess(guess.raw);
  }

  Guessing guessing_;
  Gate gate_;
  std::string pseudo_ = "sharpen", mask_on_ = "sharpened", mask_view_ = "weak";
};

}  // namespace

extern const MethodPlugin method_penumbra =
    plugin<Method, Penumbra>("soft labels of an averaged teacher, with both uncertainties");

}  // namespace penumbra
