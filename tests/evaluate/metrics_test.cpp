#include "penumbra/evaluate/metrics.h"

#include "tests/expect_error.h"
#include "tests/golden_values.h"

namespace penumbra {
namespace {

torch::Tensor golden_labels() {
  const auto i = torch::arange(40, torch::kLong);
  return (i * i + 1).remainder(7);
}

TEST(Measure, AgreesWithScikitLearn) {
  const auto found = measure(golden_logits(), golden_labels());
  const auto expected = golden("metrics.json");
  EXPECT_EQ(found.images, 40);
  EXPECT_NEAR(found.accuracy.value, expected["accuracy"].get<double>(), 1e-12);
  EXPECT_NEAR(found.top5, expected["top5"].get<double>(), 1e-12);
  EXPECT_NEAR(found.nll, expected["nll"].get<double>(), 1e-9);
  EXPECT_NEAR(found.balanced_accuracy, expected["balanced_accuracy"].get<double>(), 1e-12);
  // Four of the seven classes occur; scikit-learn leaves the others out.
  std::size_t row = 0;
  for (std::size_t c = 0; c < 7; ++c) {
    int64_t predicted = 0;
    for (std::size_t other = 0; other < 7; ++other) predicted += found.confusion[other][c];
    if (found.per_class[c].images == 0 && predicted == 0) continue;
    EXPECT_NEAR(found.per_class[c].precision.value_or(0), expected["precision"][row].get<double>(),
                1e-12);
    EXPECT_NEAR(found.per_class[c].recall.value_or(0), expected["recall"][row].get<double>(),
                1e-12);
    ++row;
  }
  EXPECT_EQ(row, expected["recall"].size());
  EXPECT_EQ(Json(found.confusion), expected["confusion"]);
}

TEST(Measure, RefusesNothingAndForeignLabels) {
  EXPECT_THAT(error_of([] {
                measure(torch::zeros({0, 3}), torch::zeros({0}, torch::kLong));
              }),
              testing::HasSubstr("no labelled images"));
  EXPECT_THAT(error_of([] {
                measure(torch::zeros({1, 3}), torch::tensor({3}, torch::kLong));
              }),
              testing::HasSubstr("a label is 3: the model knows the classes 0 to 2"));
}

TEST(Wilson, AgreesWithScipy) {
  const auto interval = wilson(15, 50);
  const auto expected = golden("metrics.json")["wilson_15_of_50"];
  EXPECT_NEAR(interval.low, expected[0].get<double>(), 1e-12);
  EXPECT_NEAR(interval.high, expected[1].get<double>(), 1e-12);
  EXPECT_NEAR(wilson(0, 10).low, 0, 1e-12);
  EXPECT_NEAR(wilson(10, 10).high, 1, 1e-12);
}

// Two of class 0, one of them called 1; one of class 1, right; nobody is of class 2.
TEST(Measure, OfThreeImagesIsWhatCountingSays) {
  const auto logits =
      torch::tensor({{2.0, 0.0, 0.0}, {0.0, 2.0, 0.0}, {0.0, 2.0, 0.0}}, torch::kDouble);
  const auto found = measure(logits, torch::tensor({0, 0, 1}, torch::kLong));
  EXPECT_NEAR(found.accuracy.value, 2.0 / 3, 1e-12);
  EXPECT_NEAR(found.balanced_accuracy, (0.5 + 1) / 2, 1e-12);
  EXPECT_EQ(found.top5, 1);  // there are only three
  EXPECT_EQ(found.confusion, (std::vector<std::vector<int64_t>>{{1, 1, 0}, {0, 1, 0}, {0, 0, 0}}));
  EXPECT_EQ(found.per_class[0].precision, 1.0);
  EXPECT_EQ(found.per_class[0].recall, 0.5);
  EXPECT_EQ(found.per_class[1].precision, 0.5);
  EXPECT_FALSE(found.per_class[2].precision);
  EXPECT_FALSE(found.per_class[2].recall);
  const double log_sum = std::log(std::exp(2.0) + 2);  // of each row
  EXPECT_NEAR(found.nll, log_sum - 4.0 / 3, 1e-12);
}

TEST(Measure, TopFiveLooksAtTheFiveMostLikely) {
  const auto logits = torch::arange(8, torch::kDouble).unsqueeze(0);  // class 7 is the likeliest
  EXPECT_EQ(measure(logits, torch::tensor({3}, torch::kLong)).top5, 1);
  EXPECT_EQ(measure(logits, torch::tensor({2}, torch::kLong)).top5, 0);
}

TEST(Measure, ALabelBelowZeroIsNamed) {
  EXPECT_THAT(error_of([] {
                measure(torch::zeros({2, 3}), torch::tensor({0, -1}, torch::kLong));
              }),
              testing::HasSubstr("a label is -1: the model knows the classes 0 to 2"));
}

TEST(Wilson, IsNarrowerOfMoreAndHoldsItsShare) {
  const auto few = wilson(3, 10), many = wilson(300, 1000);
  EXPECT_EQ(few.value, 0.3);
  EXPECT_LT(many.high - many.low, few.high - few.low);
  for (const auto& one : {few, many, wilson(0, 5), wilson(5, 5)}) {
    EXPECT_LE(one.low, one.value + 1e-12);
    EXPECT_GE(one.high, one.value - 1e-12);
    EXPECT_GE(one.low, 0);
    EXPECT_LE(one.high, 1);
  }
}

}  // namespace
}  // namespace penumbra
