// FixMatch: trust the label predicted for a weakly augmented image, when
// confident, as the target for a strongly augmented copy of the same image.
// Sohn et al. 2020, https://arxiv.org/abs/2001.07685, Eq. 3-4.

#include "penumbra/loss/consistency.h"
#include "penumbra/method/anchoring.h"

namespace penumbra {
namespace {

class FixMatch final : public Method {
 public:
  explicit FixMatch(Options& options) : anchoring_(options) {
    options.read("threshold", threshold_, {0, 1},
                 "keep a pseudo-label only at or above this confidence (tau)");
    options.read_choice("labels", labels_, {"hard", "soft"},
                        "pseudo-labels: the most likely class, or all probabilities");
  }

  Views views() const override { return anchoring_.views(); }
  Defaults defaults() const override { return anchoring_.defaults(soft()); }

  Step step(const Forward& student, const Forward& teacher, const Batch& batch) override {
    const auto label = [&](const torch::Tensor& weak) {
      const auto pseudo = loss::pseudo_labels(weak);
      return Anchoring::Labels{soft() ? weak.softmax(1) : pseudo.target,
                               pseudo.confidence >= threshold_};
    };
    return anchoring_.learn(student, teacher, batch, label).step;
  }

 private:
  bool soft() const { return labels_ == "soft"; }

  Anchoring anchoring_;
  double threshold_ = 0.95;      // tau
  std::string labels_ = "hard";  // or soft
};

}  // namespace

extern const MethodPlugin method_fixmatch =
    plugin<Method, FixMatch>("confident weak-view labels supervise the strong view");

}  // namespace penumbra
