#include "penumbra/method/warm_start.h"

#include <torch/nn/functional/loss.h>

namespace penumbra {
namespace {

class WarmStart final : public Method {
 public:
  WarmStart(std::unique_ptr<Method> method, double share)
      : method_(std::move(method)), share_(share) {}

  Views views() const override { return method_->views(); }
  std::vector<HeadSpec> heads(int64_t features, int64_t classes) const override {
    return method_->heads(features, classes);
  }
  Defaults defaults() const override { return method_->defaults(); }
  void meet(const Pool& pool) override { method_->meet(pool); }
  std::vector<double> surveys() const override { return after_start(method_->surveys()); }
  void see(const Survey& survey) override { method_->see(survey); }
  bool surveys_mirror_images() const override { return method_->surveys_mirror_images(); }
  std::vector<double> phases() const override { return after_start(method_->phases()); }
  std::vector<NamedTensor> save() const override { return method_->save(); }
  void load(const std::vector<NamedTensor>& state) override { method_->load(state); }

  Step step(const Forward& student, const Forward& teacher, const Batch& batch) override {
    if (batch.progress >= share_) {
      auto later = batch;
      later.progress = own(batch.progress);
      return method_->step(student, teacher, later);
    }
    const auto said = student(batch.images);
    Step step;
    namespace F = torch::nn::functional;
    step.loss = F::cross_entropy(
        said.logits, batch.labels,
        F::CrossEntropyFuncOptions().label_smoothing(method_->defaults().smoothing));
    step.report = {{"loss/supervised", step.loss.item<double>()}};
    step.evidence.labelled_features = said.features;
    return step;
  }

 private:
  double own(double progress) const { return (progress - share_) / (1 - share_); }
  std::vector<double> after_start(std::vector<double> shares) const {
    for (auto& share : shares) share = share_ + (1 - share_) * share;
    return shares;
  }

  std::unique_ptr<Method> method_;
  double share_;
};

}  // namespace

std::unique_ptr<Method> warm_start(std::unique_ptr<Method> method, double share) {
  if (share == 0) return method;
  return std::make_unique<WarmStart>(std::move(method), share);
}

}  // namespace penumbra
