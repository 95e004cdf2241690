// Label propagation: first labelled images alone; then labels spread over a graph of all images'
// features now and then, and are learnt with weights in between.
// Iscen et al. 2019, https://arxiv.org/abs/1904.04717.

#include <torch/nn/functional/loss.h>

#include "penumbra/data/images.h"
#include "penumbra/method/method.h"
#include "penumbra/method/propagation.h"

namespace penumbra {
namespace {

class LabelPropagation final : public Method {
 public:
  explicit LabelPropagation(Options& options) {
    options.read("propagations", propagations_, {1, 1e6},
                 "evenly over the run, after its supervised start");
    options.read("neighbours", graph_.neighbours, {1, 10000}, "of each image in the graph (k)");
    options.read("power", graph_.power, {1, 10}, "of similarities (gamma)");
    options.read("alpha", graph_.alpha, {0, 0.9999}, "how far labels spread");
    options.read("iterations", graph_.iterations, {1, 10000}, "of the conjugate gradients");
    options.read("ratio", ratio_, {0.125, 64}, "unlabelled images per labelled one");
    labelled_.read(options);
    options.read_choice("unlabelled", unlabelled_, {"weak", "strong"},
                        "views of unlabelled images");
  }

  Defaults defaults() const override { return {0, 0, false, /*supervised=*/0.5}; }
  Views views() const override {
    const bool strong = unlabelled_ == "strong";
    return {strong ? 0 : 1, strong ? 1 : 0, ratio_, labelled_.strong_share()};
  }

  void meet(const Pool& pool) override {
    pool_ = pool;
    int64_t last = -1;
    for (const auto position : pool.unlabelled) last = std::max(last, position);
    for (const auto position : pool.labelled) last = std::max(last, position);
    labels_ = torch::full({last + 1}, kUnlabelled, torch::kLong);
    weights_ = torch::zeros({last + 1});
    class_weights_ = torch::ones({pool.classes});
  }

  std::vector<double> surveys() const override { return even_shares(propagations_); }

  void see(const Survey& survey) override {
    const auto features = torch::cat({survey.labelled.features, survey.unlabelled.features});
    const auto spread = propagate(features, pool_.labels, pool_.classes, graph_);
    const auto positions = torch::tensor(pool_.unlabelled, torch::kLong);
    const auto begin = pool_.labels.size(0);
    labels_.index_put_({positions}, spread.labels.slice(0, begin));
    weights_.index_put_({positions}, spread.weights.slice(0, begin));
    // What is known stays known, where labelled images are in the pool as well.
    const auto known = torch::tensor(pool_.labelled, torch::kLong);
    labels_.index_put_({known}, pool_.labels);
    weights_.index_put_({known}, torch::ones({known.size(0)}));
    // zeta_c = (N / classes) / images labelled c
    const auto counts = labels_.index_select(0, torch::cat({known, positions}))
                            .bincount({}, pool_.classes)
                            .to(torch::kFloat);
    class_weights_ = counts.sum() / static_cast<double>(pool_.classes) / counts.clamp_min(1);
  }

  Step step(const Forward& student, const Forward&, const Batch& batch) override {
    namespace F = torch::nn::functional;
    const auto rows = batch.images.size(0);
    const auto said = student(batch.all);
    const auto known = said.logits.narrow(0, 0, rows);
    Step step;
    step.evidence.labelled_features = said.features.narrow(0, 0, rows);
    const auto each = [&](const torch::Tensor& logits, const torch::Tensor& labels) {
      return F::cross_entropy(
          logits, labels,
          F::CrossEntropyFuncOptions().weight(class_weights_.to(logits)).reduction(torch::kNone));
    };
    const auto guess = labels_.index_select(0, batch.index);
    const auto trust = weights_.index_select(0, batch.index);
    const auto supervised = each(known, batch.labels).mean();
    const auto logits = said.logits.slice(0, rows);
    const auto spread = (each(logits, guess.to(logits.device())) * trust.to(logits)).mean();
    // One mean over all rows, as the authors have it.
    const double share = static_cast<double>(rows) / static_cast<double>(said.logits.size(0));
    step.loss = share * supervised + (1 - share) * spread;
    step.report = {{"loss/supervised", supervised.item<double>()},
                   {"loss/propagated", spread.item<double>()},
                   {"mask", trust.mean().item<double>()}};
    step.pseudo_labels = guess;
    step.evidence.strong_features = said.features.slice(0, rows);
    return step;
  }

  std::vector<NamedTensor> save() const override {
    return {{"labels", labels_}, {"weights", weights_}, {"class_weights", class_weights_}};
  }
  void load(const std::vector<NamedTensor>& state) override {
    labels_ = find_tensor(state, "labels").clone();
    weights_ = find_tensor(state, "weights").clone();
    class_weights_ = find_tensor(state, "class_weights").clone();
  }

 private:
  double ratio_ = 1;
  int64_t propagations_ = 180;
  PropagationOptions graph_;
  LabelledViews labelled_;
  std::string unlabelled_ = "weak";
  Pool pool_;
  torch::Tensor labels_;         // [positions]
  torch::Tensor weights_;        // [positions]
  torch::Tensor class_weights_;  // [classes]
};

}  // namespace

extern const MethodPlugin method_label_propagation =
    plugin<Method, LabelPropagation>("labels spread over a graph of neighbours");

}  // namespace penumbra
