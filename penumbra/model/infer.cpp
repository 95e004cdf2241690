#include "penumbra/model/infer.h"

namespace penumbra {
namespace {

class EvaluationScope {
 public:
  explicit EvaluationScope(Classifier& classifier)
      : classifier_(classifier), was_training_(classifier.is_training()) {
    if (was_training_) classifier_.eval();
  }
  ~EvaluationScope() {
    if (was_training_) classifier_.train();
  }
  EvaluationScope(const EvaluationScope&) = delete;
  EvaluationScope& operator=(const EvaluationScope&) = delete;

 private:
  Classifier& classifier_;
  bool was_training_;
};

// Convolutions refuse a batch of no images in some layouts.
Output no_output(Classifier& classifier) {
  const auto rows = [](int64_t width) { return torch::empty({0, width}); };
  Output output{rows(classifier.classes()), rows(classifier.backbone().feature_size()), {}};
  for (const auto& head : classifier.heads()) output.heads.emplace(head.name, rows(head.outputs));
  return output;
}

Output say(Classifier& classifier, const torch::Tensor& images) {
  auto said = classifier.forward(images);
  if (!classifier.mirrors()) return said;
  const auto mirrored = images.flip({3}).contiguous(images.suggest_memory_format());
  const auto other = classifier.forward(mirrored);
  const auto mean = (said.logits.softmax(1) + other.logits.softmax(1)) / 2;
  said.logits = mean.clamp_min(1e-12).log();
  return said;
}

}  // namespace

Output infer(Classifier& classifier, const torch::Tensor& images, int64_t batch_size) {
  TORCH_CHECK(batch_size > 0, "batch size ", batch_size);
  if (images.size(0) == 0) return no_output(classifier);
  const EvaluationScope evaluation(classifier);
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> logits, features;
  std::map<std::string, std::vector<torch::Tensor>> heads;
  for (int64_t begin = 0; begin < images.size(0); begin += batch_size) {
    const auto batch = images.slice(/*dim=*/0, begin, begin + batch_size).to(classifier.device());
    const auto output = say(classifier, batch);
    logits.push_back(output.logits.cpu());
    features.push_back(output.features.cpu());
    for (const auto& [name, values] : output.heads) heads[name].push_back(values.cpu());
  }
  Output all{torch::cat(logits), torch::cat(features), {}};
  for (const auto& [name, values] : heads) all.heads.emplace(name, torch::cat(values));
  return all;
}

}  // namespace penumbra
