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

}  // namespace
}  // namespace penumbra
