#include <gtest/gtest.h>

#include <cmath>

#include "penumbra/data/images.h"
#include "penumbra/method/method.h"
#include "tests/golden_values.h"

namespace penumbra {
namespace {

// An identity "network": the images are the logits.
const Forward kIdentity([](const torch::Tensor& x) { return Output{x, x, {}}; });

Batch batch_of(const torch::Tensor& images, const torch::Tensor& labels, const torch::Tensor& weak,
               const torch::Tensor& strong) {
  Batch batch;
  batch.images = images;
  batch.labels = labels;
  batch.weak = {weak};
  batch.strong = {strong};
  batch.index = torch::arange(weak.size(0), torch::kLong);
  batch.all = torch::cat({images, strong, weak});
  return batch;
}

TEST(FixMatch, CountsOnlyConfidentRowsButAveragesOverAll) {
  const auto batch = batch_of(torch::tensor({{100.f, 0.f}}), torch::tensor({0}, torch::kLong),
                              torch::tensor({{10.f, 0.f}, {0.1f, 0.f}}),  // confident, unsure
                              torch::tensor({{0.f, 0.f}, {0.f, 50.f}}));  // ln 2, ignored
  for (const std::string forward : {"split", "joint"}) {
    Options options{{"forward", forward}};
    const auto step = make_method("fixmatch", options)->step(kIdentity, kIdentity, batch);
    EXPECT_NEAR(step.loss.item<double>(), std::log(2.0) / 2, 1e-6) << forward;
    EXPECT_DOUBLE_EQ(step.report.at("mask"), 0.5);
    EXPECT_TRUE(step.pseudo_labels.equal(torch::tensor({int64_t{0}, kUnlabelled})));
  }
}

TEST(FixMatch, AgreesWithPyTorch) {
  const auto logits = golden_logits();
  const auto labels = torch::arange(4, torch::kLong);
  const auto batch =
      batch_of(logits.slice(0, 0, 4), labels, logits.slice(0, 0, 20), logits.slice(0, 20, 40));
  Options options{{"threshold", "0.5"}, {"weight", "2"}};
  const auto step = make_method("fixmatch", options)->step(kIdentity, kIdentity, batch);
  const auto expected = golden("metrics.json");
  EXPECT_NEAR(step.report.at("loss/consistency"), expected["masked_cross_entropy"].get<double>(),
              1e-12);
  EXPECT_NEAR(step.report.at("mask"), expected["mask"].get<double>(), 1e-7);
  EXPECT_NEAR(step.loss.item<double>(),
              step.report.at("loss/supervised") + 2 * step.report.at("loss/consistency"), 1e-12);
}

TEST(FixMatch, AsksForMuUnlabelledImages) {
  Options options{{"ratio", "3"}};
  const auto views = make_method("fixmatch", options)->views();
  EXPECT_EQ(views.weak, 1);
  EXPECT_EQ(views.strong, 1);
  EXPECT_EQ(views.ratio, 3);
}

}  // namespace
}  // namespace penumbra
