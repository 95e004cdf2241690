// FreeMatch: FixMatch whose threshold follows the model's own confidence, overall and per class,
// and a penalty on favouring some classes.
// Wang et al. 2023, https://arxiv.org/abs/2205.07246, Eq. 5-12.

#include "penumbra/loss/consistency.h"
#include "penumbra/method/anchoring.h"
#include "penumbra/method/average_start.h"

namespace penumbra {
namespace {

// Rows that sum to one, of a / b, where nothing is left of a class that b has none of.
torch::Tensor normalised_ratio(const torch::Tensor& a, const torch::Tensor& b) {
  // Not a / b where b is 0: its gradient would not be a number, though it counts for nothing.
  const auto ratio = (b > 0).to(a) * a / torch::where(b > 0, b, torch::ones_like(b));
  return ratio / ratio.sum();
}

class FreeMatch final : public Method {
 public:
  explicit FreeMatch(Options& options) : anchoring_(options) {
    options.read("momentum", momentum_, {0, 1}, "of the averages that thresholds follow (lambda)");
    start_.read(options);
    options.read("fairness", fairness_, {0, 1e3}, "weight of the penalty on uneven classes (w_f)");
    options.read("clip", clip_,
                 "no threshold is below 0.9 or above 0.95, as the authors have it for SVHN");
  }

  Views views() const override { return anchoring_.views(); }
  Defaults defaults() const override { return anchoring_.defaults(/*soft_targets=*/false); }

  void meet(const Pool& pool) override {
    mean_ = torch::full({pool.classes}, 1.0 / static_cast<double>(pool.classes));
    histogram_ = mean_.clone();
    confidence_ = mean_[0].clone();
    followed_ = false;
  }

  Step step(const Forward& student, const Forward& teacher, const Batch& batch) override {
    const auto label = [&](const torch::Tensor& weak) {
      const auto pseudo = loss::pseudo_labels(weak);
      follow(weak.softmax(1), pseudo);
      // tau_c = tau p_c / max p
      auto thresholds = (confidence_ * mean_ / mean_.max()).to(weak);
      if (clip_) thresholds = thresholds.clamp(0.9, 0.95);
      return Anchoring::Labels{pseudo.target,
                               pseudo.confidence >= thresholds.index_select(0, pseudo.target)};
    };
    auto step = anchoring_.learn(student, teacher, batch, label).step;
    step.report["threshold"] = confidence_.item<double>();
    const auto kept = step.evidence.mask > 0;
    if (fairness_ > 0 && kept.any().item<bool>()) {
      const auto unfair = unfairness(step.evidence.strong_logits.index({kept}));
      step.report["loss/fairness"] = unfair.item<double>();
      step.loss = step.loss + fairness_ * unfair;
    }
    return step;
  }

  std::vector<NamedTensor> save() const override {
    return {{"mean", mean_},
            {"histogram", histogram_},
            {"confidence", confidence_},
            {"followed", torch::tensor(followed_)}};
  }
  void load(const std::vector<NamedTensor>& state) override {
    mean_ = find_tensor(state, "mean", mean_).clone();
    histogram_ = find_tensor(state, "histogram", histogram_).clone();
    confidence_ = find_tensor(state, "confidence", confidence_).clone();
    followed_ = find_tensor(state, "followed", torch::tensor(false)).item<bool>();
  }

 private:
  void follow(const torch::Tensor& probabilities, const loss::PseudoLabels& pseudo) {
    const double keep = start_.keep(momentum_, followed_);
    followed_ = true;
    const auto move = [&](torch::Tensor& average, const torch::Tensor& now) {
      average = keep * average + (1 - keep) * now.cpu().to(average);
    };
    const auto labels = pseudo.target.bincount({}, mean_.size(0)).to(torch::kFloat);
    move(confidence_, pseudo.confidence.mean());
    move(mean_, probabilities.mean(0));
    move(histogram_, labels / labels.sum());
  }

  // sum_c a_c log b_c with a = mean / histogram over the run and b the same of this batch's strong
  // views [kept, classes]: the negative of a cross-entropy, which grows as classes even out.
  torch::Tensor unfairness(const torch::Tensor& logits) const {
    const auto probabilities = logits.softmax(1);
    const auto labels = logits.argmax(1).bincount({}, logits.size(1)).to(logits);
    const auto over_the_run = normalised_ratio(mean_, histogram_).to(logits);
    const auto now = normalised_ratio(probabilities.mean(0), labels / labels.sum());
    return (over_the_run * (now + 1e-12).log()).sum();
  }

  Anchoring anchoring_;
  double momentum_ = 0.999, fairness_ = 0.001;
  bool clip_ = false;
  AverageStart start_;
  bool followed_ = false;     // the averages below are more than their start
  torch::Tensor mean_;        // [classes] of weak views' probabilities
  torch::Tensor histogram_;   // [classes] of their labels
  torch::Tensor confidence_;  // scalar: their mean confidence
};

}  // namespace

extern const MethodPlugin method_freematch =
    plugin<Method, FreeMatch>("FixMatch with thresholds that follow the model's confidence");

}  // namespace penumbra
