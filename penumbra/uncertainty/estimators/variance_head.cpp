// Mean over classes of the variance that the model's head predicts: its aleatoric uncertainty.

#include "penumbra/loss/gaussian.h"
#include "penumbra/uncertainty/estimator.h"

namespace penumbra {
namespace {

class VarianceHead final : public Estimator {
 public:
  explicit VarianceHead(Options& options) {
    options.read_choice("variance", variance_, {"paper", "log"},
                        "of the method: exp(2 sigmoid(head)) or exp(head)");
  }

  torch::Tensor score(const Output& output) const override {
    const auto head = output.heads.find("variance");
    if (head == output.heads.end())
      fail(
          "the model has no variance head: train with --method penumbra, or with --set "
          "method.l_ua=75 where the method has soft labels");
    const auto log =
        variance_ == "paper" ? 2 * head->second.sigmoid() : loss::log_variance_of(head->second);
    return log.exp().mean(1);
  }

 private:
  std::string variance_ = "log";
};

}  // namespace

extern const EstimatorPlugin estimator_variance_head =
    plugin<Estimator, VarianceHead>("variance that the model's own head predicts");

}  // namespace penumbra
