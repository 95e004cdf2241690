// Mean Teacher: the student should say of one view what its moving average says of another.
// Tarvainen and Valpola 2017, https://arxiv.org/abs/1703.01780. The moving average's own schedule
// is train.ema_decay and train.ema_warm_up; weight and ramp are those of the run that later papers
// quote (MixMatch, table 5). The teacher's batch norm has its moving statistics here, there those
// of the batch.

#include "penumbra/method/consistency.h"

namespace penumbra {
namespace {

class MeanTeacher final : public Method {
 public:
  explicit MeanTeacher(Options& options) : consistency_(options, /*weight=*/50) {}

  Views views() const override { return consistency_.views(); }
  Defaults defaults() const override { return {0, 0, true}; }

  Step step(const Forward& student, const Forward& teacher, const Batch& batch) override {
    torch::Tensor targets;
    {
      const torch::NoGradGuard no_gradient;
      targets = teacher(batch.weak[1]).logits.softmax(1);
    }
    const auto rows = batch.images.size(0) + batch.index.size(0);
    return consistency_.step(student(batch.all.narrow(0, 0, rows)), targets, batch);
  }

 private:
  Consistency consistency_;
};

}  // namespace

extern const MethodPlugin method_mean_teacher =
    plugin<Method, MeanTeacher>("the student agrees with its own moving average");

}  // namespace penumbra
