// Supervised baseline: ignore the unlabelled images.

#include <torch/nn/functional/loss.h>

#include "penumbra/method/method.h"

namespace penumbra {
namespace {

class Supervised final : public Method {
 public:
  explicit Supervised(Options& options) {
    options.read_choice("labelled", labelled_, {"weak", "strong"}, "views of labelled images");
  }

  Views views() const override {
    Views views;
    views.labelled_strong = labelled_ == "strong";
    return views;
  }

  Step step(const Forward& student, const Forward&, const Batch& batch) override {
    const auto output = student(batch.images);
    const auto loss = torch::nn::functional::cross_entropy(output.logits, batch.labels);
    Step step{loss, {{"loss/supervised", loss.item<double>()}}, {}, {}};
    step.evidence.labelled_features = output.features;
    return step;
  }

 private:
  std::string labelled_ = "weak";
};

}  // namespace

extern const MethodPlugin method_supervised = plugin<Method, Supervised>("labelled images only");

}  // namespace penumbra
