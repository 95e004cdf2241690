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
    known_labels_ = pool.labels;
    known_ = torch::tensor(pool.labelled, torch::kLong);
    const auto rows = pool.positions();
    const auto unlabelled = torch::tensor(pool.unlabelled, torch::kLong);
    const auto is_known = torch::zeros({rows}, torch::kBool).index_fill_(0, known_, true);
    guessed_ = is_known.index_select(0, unlabelled).logical_not().nonzero().flatten();
    guessed_positions_ = unlabelled.index_select(0, guessed_);
    labels_ = torch::full({rows}, kUnlabelled, torch::kLong);
    weights_ = torch::zeros({rows});
    class_weights_ = torch::ones({pool.classes});
  }

  std::vector<double> surveys() const override { return even_shares(propagations_); }
  // What follows the start has the full learning rate again, as the authors' second stage has. A
  // phase also gives the student its moving average, where theirs goes on with the last weights.
  std::vector<double> phases() const override { return {0}; }

  void see(const Survey& survey) override {
    const auto features = torch::cat(
        {survey.labelled.features, survey.unlabelled.features.index_select(0, guessed_)});
    const auto classes = class_weights_.size(0);
    const auto spread = propagate(features, known_labels_, classes, graph_);
    const auto begin = known_.size(0);
    labels_.index_put_({guessed_positions_}, spread.labels.slice(0, begin));
    weights_.index_put_({guessed_positions_}, spread.weights.slice(0, begin));
    // The pool may have labelled images as well: these keep their labels.
    labels_.index_put_({known_}, known_labels_);
    weights_.index_put_({known_}, torch::ones({begin}));
    // zeta_c = (N / classes) / images labelled c
    const auto counts = labels_.index_select(0, torch::cat({known_, guessed_positions_}))
                            .bincount({}, classes)
                            .to(torch::kFloat);
    class_weights_ = counts.sum() / static_cast<double>(classes) / counts.clamp_min(1);
  }

  Step step(const Forward& student, const Forward&, const Batch& batch) override {
    namespace F = torch::nn::functional;
    const auto rows = batch.images.size(0);
    const auto said = student(batch.all);
    const auto known = said.logits.narrow(0, 0, rows);
    Step step;
    step.evidence.labelled_features = said.features.narrow(0, 0, rows);
    const auto each = [&](const torch::Tensor& logits, const torch::Tensor& labels) {
      // An image that no survey labelled, as a checkpoint may say, teaches nothing.
      return F::cross_entropy(logits, labels,
                              F::CrossEntropyFuncOptions()
                                  .weight(class_weights_.to(logits))
                                  .ignore_index(kUnlabelled)
                                  .reduction(torch::kNone));
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
    const auto classes = class_weights_.size(0);
    labels_ = find_labels(state, "labels", labels_, kUnlabelled, classes - 1).clone();
    weights_ = find_tensor(state, "weights", weights_).clone();
    class_weights_ = find_tensor(state, "class_weights", class_weights_).clone();
  }

 private:
  double ratio_ = 1;
  int64_t propagations_ = 180;
  PropagationOptions graph_;
  LabelledViews labelled_;
  std::string unlabelled_ = "weak";
  torch::Tensor known_, known_labels_;  // [labelled] positions and labels
  // [guessed] unlabelled images that are not labelled ones as well (run.unlabelled=all): which of
  // the pool's, and their positions. The graph and the classes' counts have every image once.
  torch::Tensor guessed_, guessed_positions_;
  torch::Tensor labels_;         // [positions]
  torch::Tensor weights_;        // [positions]
  torch::Tensor class_weights_;  // [classes]
};

}  // namespace

extern const MethodPlugin method_label_propagation =
    plugin<Method, LabelPropagation>("labels spread over a graph of neighbours");

}  // namespace penumbra
