// SoftMatch: FixMatch that weighs every pseudo-label by how its confidence compares with what is
// usual, instead of keeping or dropping it.
// Chen et al. 2023, https://arxiv.org/abs/2301.10921, Eq. 6-10.

#include <algorithm>

#include "penumbra/loss/consistency.h"
#include "penumbra/loss/guess.h"
#include "penumbra/method/anchoring.h"
#include "penumbra/method/average_start.h"

namespace penumbra {
namespace {

class SoftMatch final : public Method {
 public:
  explicit SoftMatch(Options& options) : anchoring_(options, /*masks=*/false) {
    options.read("momentum", momentum_, {0, 1}, "of the averages that weights follow (m)");
    start_.read(options);
    options.read("sigmas", sigmas_, {0.1, 10}, "deviations that make the Gaussian's width");
    options.read("align", align_, "even out the classes before confidences are compared");
  }

  Views views() const override { return anchoring_.views(); }

  void meet(const Pool& pool) override {
    classes_ = pool.classes;
    gaussian_ = torch::tensor({1 / static_cast<float>(classes_), 1.0F});
    seen_ = torch::Tensor();
    followed_ = false;
  }

  Step step(const Forward& student, const Forward& teacher, const Batch& batch) override {
    const auto label = [&](const torch::Tensor& weak) {
      const auto confidence = aligned(weak.softmax(1)).amax(1);
      follow(confidence);
      // exp(-min(0, c - mean)^2 / (2 variance / sigmas^2))
      // Equal confidences have no variance; those as large as their mean are trusted then, too.
      const double mean = gaussian_[0].item<double>();
      const double variance = std::max(1e-12, gaussian_[1].item<double>());
      const auto below = (confidence - mean).clamp_max(0);
      const auto trust = (-below.square() * (sigmas_ * sigmas_ / (2 * variance))).exp();
      // The label itself is the model's own, as the authors have it.
      return Anchoring::Labels{loss::pseudo_labels(weak).target, trust};
    };
    auto step = anchoring_.learn(student, teacher, batch, label).step;
    step.report["confidence"] = gaussian_[0].item<double>();
    return step;
  }

  std::vector<NamedTensor> save() const override {
    std::vector<NamedTensor> state{{"gaussian", gaussian_}, {"followed", torch::tensor(followed_)}};
    if (seen_.defined()) state.push_back({"seen", seen_});
    return state;
  }
  void load(const std::vector<NamedTensor>& state) override {
    gaussian_ = find_tensor(state, "gaussian", gaussian_).clone();
    followed_ = find_tensor(state, "followed", torch::tensor(false)).item<bool>();
    seen_ = torch::Tensor();
    for (const auto& entry : state)
      if (entry.name == "seen")
        seen_ = find_tensor(state, "seen", torch::zeros({classes_})).clone();
  }

 private:
  torch::Tensor aligned(const torch::Tensor& probabilities) {
    if (!align_) return probabilities;
    const auto now = probabilities.mean(0).cpu();
    seen_ = seen_.defined() ? momentum_ * seen_ + (1 - momentum_) * now : now;
    return loss::align(probabilities, torch::full_like(seen_, 1 / static_cast<double>(classes_)),
                       seen_);
  }

  void follow(const torch::Tensor& confidence) {
    const bool several = confidence.size(0) > 1;  // one alone has no unbiased variance
    const auto now = torch::stack({confidence.mean(), confidence.var(/*unbiased=*/several)}).cpu();
    const double keep = start_.keep(momentum_, followed_);
    gaussian_ = keep * gaussian_ + (1 - keep) * now.to(gaussian_);
    followed_ = true;
  }

  Anchoring anchoring_;
  double momentum_ = 0.999, sigmas_ = 2;
  bool align_ = true, followed_ = false;
  AverageStart start_;
  int64_t classes_ = 0;
  torch::Tensor gaussian_;  // mean and variance of confidences
  torch::Tensor seen_;      // [classes] mean of weak views' probabilities; undefined at first
};

}  // namespace

extern const MethodPlugin method_softmatch =
    plugin<Method, SoftMatch>("FixMatch with weights in place of a threshold");

}  // namespace penumbra
