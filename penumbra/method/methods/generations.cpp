// Generations: a table of soft labels for the whole pool, by which one generation learns with a
// learning rate of its own; what it has become then labels the pool for the next. Made for short
// runs: labels of a network at rest are better than those of one in full swing, and cost a look at
// each image and its mirror image. After self-training with noisy students (Xie et al. 2020,
// https://arxiv.org/abs/1911.04252) and labels of earlier epochs (Laine and Aila 2017,
// https://arxiv.org/abs/1610.02242).

#include <torch/nn/functional/loss.h>

#include <cmath>

#include "penumbra/data/images.h"
#include "penumbra/loss/guess.h"
#include "penumbra/method/strong_views.h"

namespace penumbra {
namespace {

class Generations final : public Method {
 public:
  explicit Generations(Options& options) {
    options.read("generations", generations_, {1, 1000}, "evenly over the run, after its start");
    options.read("ratio", ratio_, {0.125, 64}, "unlabelled images per labelled one");
    options.read("temperature", temperature_, {0.01, 1}, "of sharpening (T)");
    options.read("threshold", threshold_, {0, 1},
                 "images whose sharpened label is less sure are not learnt");
    options.read("smoothing", smoothing_, {0, 0.9}, "of the labels that are known");
    options.read(
        "online", online_, {0, 1},
        "last share of a generation in which the teacher's view of an image moves its label");
    labelled_.read(options);
    strong_.read(options);
  }

  Defaults defaults() const override {
    return {0, 0, /*soft_targets=*/true, /*supervised=*/0.4, smoothing_, strong_.skip_untrusted};
  }
  Views views() const override {
    return {/*weak=*/1, /*strong=*/1, ratio_, labelled_.strong_share()};
  }

  std::vector<double> phases() const override { return even_shares(generations_); }
  std::vector<double> surveys() const override { return phases(); }

  void meet(const Pool& pool) override {
    positions_ = torch::tensor(pool.unlabelled, torch::kLong);
    table_ = torch::full({pool.positions(), pool.classes}, 1.0 / static_cast<double>(pool.classes));
    labelled_once_ = false;
  }

  bool surveys_mirror_images() const override { return true; }

  // P <- q for the first generation, (P + q) / 2 for the others.
  void see(const Survey& survey) override {
    const auto said = survey.unlabelled.logits.softmax(1).cpu().to(table_);
    const auto before = table_.index_select(0, positions_);
    table_.index_copy_(0, positions_, labelled_once_ ? (before + said) / 2 : said);
    labelled_once_ = true;
  }

  Step step(const Forward& student, const Forward& teacher, const Batch& batch) override {
    namespace F = torch::nn::functional;
    const double place = batch.progress * static_cast<double>(generations_);
    if (online_ > 0 && place - std::floor(place) >= 1 - online_) move_labels(teacher, batch);

    const auto rows = batch.images.size(0);
    const auto targets =
        loss::sharpen(table_.index_select(0, batch.index), temperature_).to(batch.images);
    const auto [sure, guess] = targets.max(1);
    const auto trusted = sure.ge(threshold_), mask = trusted.to(targets);
    const auto said = strong_.forward(student, batch, 1, mask);
    const auto logits = said.logits.slice(0, rows);
    const auto supervised =
        F::cross_entropy(said.logits.narrow(0, 0, rows), batch.labels,
                         F::CrossEntropyFuncOptions().label_smoothing(smoothing_));
    const auto learnt = -((targets * logits.log_softmax(1)).sum(1) * mask).mean();
    Step step;
    step.loss = supervised + learnt;
    step.report = {{"loss/supervised", supervised.item<double>()},
                   {"loss/table", learnt.item<double>()},
                   {"mask", mask.mean().item<double>()}};
    step.pseudo_labels = torch::where(trusted, guess, torch::full_like(guess, kUnlabelled));
    step.evidence = {said.features.narrow(0, 0, rows), said.features.slice(0, rows), logits,
                     targets, mask};
    return step;
  }

  std::vector<NamedTensor> save() const override {
    return {{"table", table_}, {"labelled_once", torch::tensor(labelled_once_)}};
  }
  void load(const std::vector<NamedTensor>& state) override {
    table_ = find_tensor(state, "table", table_).clone();
    labelled_once_ = find_tensor(state, "labelled_once", torch::tensor(false)).item<bool>();
  }

 private:
  // P_i <- (P_i + softmax(teacher(weak view of i))) / 2
  void move_labels(const Forward& teacher, const Batch& batch) {
    const torch::NoGradGuard no_gradient;
    const auto said = teacher(batch.weak[0]).logits.softmax(1).cpu().to(table_);
    table_.index_copy_(0, batch.index, (table_.index_select(0, batch.index) + said) / 2);
  }

  int64_t generations_ = 4;
  double ratio_ = 4, temperature_ = 0.5, threshold_ = 0.6, smoothing_ = 0.1, online_ = 0.5;
  LabelledViews labelled_;
  StrongViews strong_;
  torch::Tensor positions_;     // [unlabelled] in the training set
  torch::Tensor table_;         // [positions, classes] P
  bool labelled_once_ = false;  // P is more than its start
};

}  // namespace

extern const MethodPlugin method_generations =
    plugin<Method, Generations>("a table of soft labels, renewed a few times");

}  // namespace penumbra
