// FlexMatch: FixMatch with a threshold per class, lower for classes of which few images have been
// labelled with confidence so far.
// Zhang et al. 2021, https://arxiv.org/abs/2110.08263, Eq. 5-11.

#include <algorithm>

#include "penumbra/loss/consistency.h"
#include "penumbra/method/anchoring.h"

namespace penumbra {
namespace {

class FlexMatch final : public Method {
 public:
  explicit FlexMatch(Options& options) : anchoring_(options) {
    options.read("threshold", threshold_, {0, 1}, "highest threshold of any class (tau)");
    options.read("warm_up", warm_up_,
                 "thresholds stay low while most images have never had a confident label");
  }

  Views views() const override { return anchoring_.views(); }
  Defaults defaults() const override { return anchoring_.defaults(/*soft_targets=*/false); }

  void meet(const Pool& pool) override {
    unlabelled_ = static_cast<int64_t>(pool.unlabelled.size());
    learnt_ = torch::full({pool.positions()}, pool.classes, torch::kLong);
    counts_ = torch::zeros({pool.classes}, torch::kDouble);
  }

  Step step(const Forward& student, const Forward& teacher, const Batch& batch) override {
    const auto label = [&](const torch::Tensor& weak) {
      const auto pseudo = loss::pseudo_labels(weak);
      const auto status = learning_status().to(weak).index_select(0, pseudo.target);
      remember(pseudo, batch.index);
      return Anchoring::Labels{pseudo.target,
                               pseudo.confidence >= threshold_ * status / (2 - status)};
    };
    return anchoring_.learn(student, teacher, batch, label).step;
  }

  std::vector<NamedTensor> save() const override { return {{"learnt", learnt_}}; }
  void load(const std::vector<NamedTensor>& state) override {
    learnt_ = find_labels(state, "learnt", learnt_, 0, counts_.size(0)).clone();
    count();
  }

 private:
  // beta_c = images whose last confident label was c, over the most that any class has, or with
  // warm-up over those that never had one, if they are more. [classes]
  torch::Tensor learning_status() const {
    double most = counts_.max().item<double>();
    if (warm_up_)
      most = std::max(most, static_cast<double>(unlabelled_) - counts_.sum().item<double>());
    return most > 0 ? counts_ / most : counts_;
  }

  void remember(const loss::PseudoLabels& pseudo, const torch::Tensor& index) {
    const auto sure = (pseudo.confidence >= threshold_).cpu().nonzero().flatten();
    learnt_.index_put_({index.index_select(0, sure)}, pseudo.target.cpu().index_select(0, sure));
    count();
  }

  void count() {
    const auto classes = counts_.size(0);
    counts_ = learnt_.bincount({}, classes + 1).slice(0, 0, classes).to(torch::kDouble);
  }

  Anchoring anchoring_;
  double threshold_ = 0.95;
  bool warm_up_ = true;
  int64_t unlabelled_ = 0;
  torch::Tensor learnt_;  // [positions] last confident label, or the number of classes
  torch::Tensor counts_;  // [classes] of them
};

}  // namespace

extern const MethodPlugin method_flexmatch =
    plugin<Method, FlexMatch>("FixMatch with thresholds that wait for classes learnt late");

}  // namespace penumbra
