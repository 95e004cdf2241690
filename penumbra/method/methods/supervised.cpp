// Supervised baseline: ignore the unlabelled images.

#include <torch/nn/functional/loss.h>

#include "penumbra/method/method.h"

namespace penumbra {
namespace {

class Supervised final : public Method {
 public:
  explicit Supervised(Options& options) {
    labelled_.read(options);
    options.read("smoothing", smoothing_, {0, 0.9}, "of the labels");
  }

  Views views() const override {
    Views views;
    views.labelled_strong = labelled_.strong_share();
    return views;
  }

  Step step(const Forward& student, const Forward&, const Batch& batch) override {
    const auto output = student(batch.images);
    namespace F = torch::nn::functional;
    const auto loss = F::cross_entropy(output.logits, batch.labels,
                                       F::CrossEntropyFuncOptions().label_smoothing(smoothing_));
    Step step{loss, {{"loss/supervised", loss.item<double>()}}, {}, {}};
    step.evidence.labelled_features = output.features;
    return step;
  }

 private:
  LabelledViews labelled_;
  double smoothing_ = 0;
};

}  // namespace

extern const MethodPlugin method_supervised = plugin<Method, Supervised>("labelled images only");

}  // namespace penumbra
