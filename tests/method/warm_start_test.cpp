#include "penumbra/method/warm_start.h"

#include <torch/nn/functional/loss.h>

#include <cmath>

#include "tests/expect_error.h"

namespace penumbra {
namespace {

// Writes down what it is asked.
class Witness final : public Method {
 public:
  Views views() const override { return {1, 2, 3}; }
  Defaults defaults() const override {
    Defaults defaults;
    defaults.smoothing = 0.2;
    return defaults;
  }
  Step step(const Forward&, const Forward&, const Batch& batch) override {
    seen.push_back(batch.progress);
    return {};
  }
  std::vector<HeadSpec> heads(int64_t features, int64_t classes) const override {
    HeadSpec head;
    head.outputs = features + classes;
    return {head};
  }
  void meet(const Pool& pool) override { met = pool.classes; }
  std::vector<double> surveys() const override { return {0, 0.25}; }
  void see(const Survey&) override { ++surveyed; }
  bool surveys_mirror_images() const override { return true; }
  std::vector<double> phases() const override { return {0, 0.5}; }
  std::vector<NamedTensor> save() const override { return {{"x", torch::ones({2})}}; }
  void load(const std::vector<NamedTensor>& state) override { loaded = state.size(); }

  std::vector<double> seen;
  int64_t met = 0;
  int surveyed = 0;
  std::size_t loaded = 0;
};

struct Started {
  Witness* witness = new Witness;
  std::unique_ptr<Method> method = warm_start(std::unique_ptr<Method>(witness), 0.4);
};

Batch batch_at(double progress) {
  Batch batch;
  batch.progress = progress;
  batch.images = torch::tensor({{2.0, 0.0}, {0.0, 1.0}});
  batch.labels = torch::tensor({0, 1}, torch::kLong);
  return batch;
}

const Forward kTripled([](const torch::Tensor& x) { return Output{x, 3 * x, {}}; });

TEST(WarmStart, WithoutAShareIsTheMethodItself) {
  auto* witness = new Witness;
  EXPECT_EQ(warm_start(std::unique_ptr<Method>(witness), 0).get(), witness);
}

TEST(WarmStart, BeginsWithLabelledImagesAlone) {
  const Started started;
  const auto step = started.method->step(kTripled, kTripled, batch_at(0.39));
  EXPECT_TRUE(started.witness->seen.empty());
  // Smoothing 0.2 of two classes leaves 0.9 to the label and gives 0.1 to the other.
  const auto smoothed = [](double label, double other) {
    const auto sum = std::log(std::exp(label) + std::exp(other));
    return 0.9 * (sum - label) + 0.1 * (sum - other);
  };
  EXPECT_NEAR(step.loss.item<double>(), (smoothed(2, 0) + smoothed(1, 0)) / 2, 1e-6);
  EXPECT_EQ(step.report.at("loss/supervised"), step.loss.item<double>());
  EXPECT_FALSE(step.pseudo_labels.defined());
  EXPECT_TRUE(step.evidence.labelled_features.equal(3 * batch_at(0).images));
}

TEST(WarmStart, AfterwardsTheMethodHasARunOfItsOwn) {
  const Started started;
  for (const double progress : {0.4, 0.7, 1.0})
    started.method->step(kTripled, kTripled, batch_at(progress));
  ASSERT_EQ(started.witness->seen.size(), 3U);
  EXPECT_NEAR(started.witness->seen[0], 0, 1e-12);
  EXPECT_NEAR(started.witness->seen[1], 0.5, 1e-12);
  EXPECT_NEAR(started.witness->seen[2], 1, 1e-12);
  const auto phases = started.method->phases();
  EXPECT_NEAR(phases[0], 0.4, 1e-12);
  EXPECT_NEAR(phases[1], 0.7, 1e-12);
}

TEST(WarmStart, SurveysWaitForItsEnd) {
  const Started started;
  const auto surveys = started.method->surveys();
  ASSERT_EQ(surveys.size(), 2U);
  EXPECT_NEAR(surveys[0], 0.4, 1e-12);
  EXPECT_NEAR(surveys[1], 0.55, 1e-12);
  started.method->see({});
  EXPECT_EQ(started.witness->surveyed, 1);
}

TEST(WarmStart, PassesEverythingElseOn) {
  const Started started;
  EXPECT_EQ(started.method->views().strong, 2);
  EXPECT_TRUE(started.method->surveys_mirror_images());
  EXPECT_EQ(started.method->heads(5, 3)[0].outputs, 8);
  EXPECT_EQ(started.method->defaults().smoothing, 0.2);
  Pool pool;
  pool.classes = 7;
  started.method->meet(pool);
  EXPECT_EQ(started.witness->met, 7);
  started.method->load(started.method->save());
  EXPECT_EQ(started.witness->loaded, 1U);
}

}  // namespace
}  // namespace penumbra
