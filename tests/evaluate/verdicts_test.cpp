#include "penumbra/evaluate/verdicts.h"

#include "penumbra/evaluate/evaluation_json.h"
#include "penumbra/model/weights.h"
#include "tests/expect_error.h"

namespace penumbra {
namespace {

// Two classes, each along a feature of its own.
Output said_of(int64_t n, uint64_t seed) {
  auto features = 0.1 * torch::randn({n, 4}, make_generator(seed));
  for (int64_t i = 0; i < n; ++i) features[i][i % 2] += 1;
  return {6 * features.slice(1, 0, 2), features, {}};
}

torch::Tensor alternating(int64_t n) { return torch::arange(n, torch::kLong).remainder(2); }

TEST(Verdicts, CountImagesAndRightOnesOfEach) {
  const Judge judge({}, said_of(300, 1), alternating(300), said_of(200, 2), alternating(200));
  auto output = said_of(4, 3);
  output.features[1].zero_();
  output.features[1][3] = 1;                                      // unlike anything seen
  output.logits[2] = torch::tensor({1.0F, 1.0F});                 // undecided
  const auto labels = torch::tensor({1, 1, 0, 1}, torch::kLong);  // the first one is wrong
  const auto verdicts = verdicts_of(judge, output, labels);
  int64_t images = 0, right = 0;
  for (const auto& count : verdicts.counts) {
    images += count.images;
    right += count.right;
  }
  EXPECT_EQ(images, 4);
  EXPECT_EQ(right, 3);
  EXPECT_EQ(verdicts.counts[static_cast<std::size_t>(Verdict::kUnfamiliar)].images, 1);
  EXPECT_GE(verdicts.counts[static_cast<std::size_t>(Verdict::kAmbiguous)].images, 1);
  EXPECT_EQ(verdicts.temperature, judge.temperature());
  EXPECT_NEAR(verdicts.calibration.nll,
              calibration_of(output.logits, labels, judge.temperature()).nll, 1e-12);
}

TEST(EvaluationJson, HasEveryNumberUnderItsName) {
  const auto logits = torch::tensor({{2.0F, 0.0F}, {0.0F, 2.0F}, {2.0F, 0.0F}, {0.0F, 1.0F}});
  const auto labels = torch::tensor({0, 1, 1, 1}, torch::kLong);
  const auto metrics = measure(logits, labels);
  const auto json = to_json(metrics);
  EXPECT_EQ(json["images"], 4);
  EXPECT_EQ(json["accuracy"]["value"], 0.75);
  EXPECT_LT(json["accuracy"]["low"].get<double>(), 0.75);
  EXPECT_GT(json["accuracy"]["high"].get<double>(), 0.75);
  EXPECT_EQ(json["top5"], 1.0);
  EXPECT_NEAR(json["balanced_accuracy"].get<double>(), (1 + 2.0 / 3) / 2, 1e-12);

  const auto rows = per_class_json(metrics, {"cat", "dog"});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["class"], "cat");
  EXPECT_EQ(rows[0]["images"], 1);
  EXPECT_EQ(rows[0]["precision"], 0.5);
  EXPECT_EQ(rows[0]["recall"], 1.0);
  EXPECT_EQ(rows[1]["precision"], 1.0);

  // Nobody is of the third class, and nobody is called so.
  const auto wider = torch::cat({logits, torch::full({4, 1}, -9.0F)}, 1);
  const auto third = per_class_json(measure(wider, labels), {"cat", "dog", "emu"})[2];
  EXPECT_EQ(third["images"], 0);
  EXPECT_TRUE(third["precision"].is_null());
  EXPECT_TRUE(third["recall"].is_null());

  const auto calibration = to_json(calibration_of(logits, labels));
  EXPECT_EQ(calibration["bins"].size(), static_cast<std::size_t>(kReliabilityBins));
  int64_t images = 0;
  for (const auto& bin : calibration["bins"]) images += bin["images"].get<int64_t>();
  EXPECT_EQ(images, 4);
  for (const char* name : {"nll", "brier", "ece", "aece", "mce"})
    EXPECT_GT(calibration[name].get<double>(), 0) << name;

  Verdicts verdicts;
  verdicts.counts[1] = {5, 2};
  EXPECT_EQ(to_json(verdicts).dump(),
            R"({"sure":{"images":0,"right":0},"ambiguous":{"images":5,"right":2},)"
            R"("unfamiliar":{"images":0,"right":0}})");
}

TEST(EvaluationJson, WhatIsNotThereIsNull) {
  EXPECT_TRUE(or_null({}).is_null());
  EXPECT_EQ(or_null(0.5), 0.5);
  EXPECT_EQ(
      to_json(calibration_of(std::vector<Answer>{{0.9, true, 0.02, 0.1}}))["bins"][13]["images"],
      1);
}

}  // namespace
}  // namespace penumbra
