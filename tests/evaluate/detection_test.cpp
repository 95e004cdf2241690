#include "penumbra/evaluate/detection.h"

#include <limits>

#include "tests/expect_error.h"
#include "tests/golden_values.h"

namespace penumbra {
namespace {

std::vector<double> rounded_sines(int n, double frequency, double shift) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i)
    values.push_back(std::round(10 * (std::sin(frequency * i) + shift)) / 10);
  return values;
}

TEST(Detect, AgreesWithScikitLearnAlsoOnTies) {
  const auto found = detect(rounded_sines(50, 0.9, 0), rounded_sines(30, 1.3, 0.4));
  const auto expected = golden("metrics.json");
  EXPECT_NEAR(found.auroc, expected["auroc"].get<double>(), 1e-12);
  EXPECT_NEAR(found.aupr_out, expected["aupr_out"].get<double>(), 1e-12);
  EXPECT_NEAR(found.aupr_in, expected["aupr_in"].get<double>(), 1e-12);
  EXPECT_NEAR(found.fpr95, expected["fpr95"].get<double>(), 1e-12);
}

// A sample in which each score is there so many times, and the same sample written out, ties
// included.
TEST(RankedScores, CountAScoreAsOftenAsItWasDrawn) {
  const std::vector<double> low{0.5, 0.1, 0.9, 0.5}, high{0.5, 0.7, 0.2};
  const RankedScores scores(low, high);
  EXPECT_EQ(scores.negatives(), 4);
  EXPECT_EQ(scores.positives(), 3);
  const auto expect_equal = [](const Detection& found, const Detection& expected) {
    EXPECT_EQ(found.auroc, expected.auroc);
    EXPECT_EQ(found.aupr_out, expected.aupr_out);
    EXPECT_EQ(found.aupr_in, expected.aupr_in);
    EXPECT_EQ(found.fpr95, expected.fpr95);
  };
  expect_equal(scores.detection({1, 1, 1, 1}, {1, 1, 1}), detect(low, high));
  expect_equal(scores.detection({2, 0, 1, 1}, {0, 2, 1}),
               detect({0.5, 0.5, 0.9, 0.5}, {0.7, 0.7, 0.2}));
  expect_equal(scores.detection({0, 0, 0, 4}, {0, 3, 0}),
               detect({0.5, 0.5, 0.5, 0.5}, {0.7, 0.7, 0.7}));
}

TEST(Detect, IsPerfectBlindOrInverted) {
  EXPECT_EQ(detect({1, 2}, {3, 4}).auroc, 1);
  EXPECT_EQ(detect({1, 2}, {3, 4}).fpr95, 0);
  EXPECT_EQ(detect({1, 1}, {1, 1}).auroc, 0.5);
  EXPECT_EQ(detect({3, 4}, {1, 2}).auroc, 0);
}

TEST(Detect, RefusesEmptyListsAndWhatIsNoNumber) {
  EXPECT_THAT(error_of([] { detect({}, {1}); }), testing::HasSubstr("expected some of both"));
  EXPECT_THAT(error_of([] { detect({1}, {std::numeric_limits<double>::quiet_NaN()}); }),
              testing::HasSubstr("expected a finite number"));
}

// Familiar 1 to 20: 95 % of them lie at or below 19, and of the strangers 18, 19, 19.5 and 30 two
// do.
TEST(Detect, FprIsTheShareOfStrangersAtOrBelowTheAcceptedFamiliar) {
  std::vector<double> familiar;
  for (int i = 1; i <= 20; ++i) familiar.push_back(i);
  EXPECT_DOUBLE_EQ(detect(familiar, {18, 19, 19.5, 30}).fpr95, 0.5);
  EXPECT_DOUBLE_EQ(detect(familiar, {19.5, 30}).fpr95, 0);
  EXPECT_DOUBLE_EQ(detect(familiar, {0}).fpr95, 1);
}

// Familiar 1, 2, 3 and strangers 2, 4: of six pairs a stranger is above in 1 + 3 and ties in one,
// so that the area is 4.5 / 6. From above: 4 (precision 1), 3, then the tie of 2 (2 of 4).
TEST(Detect, OfFiveScoresIsWhatTheFormulaSays) {
  const auto found = detect({1, 2, 3}, {2, 4});
  EXPECT_DOUBLE_EQ(found.auroc, 4.5 / 6);
  EXPECT_DOUBLE_EQ(found.aupr_out, 0.5 * 1 + 0.5 * 2 / 4);
  // By the negated score: 1 (1 of 1), the tie of 2 (2 of 3), 3 (3 of 4).
  EXPECT_DOUBLE_EQ(found.aupr_in, (1.0 + 2.0 / 3 + 3.0 / 4) / 3);
}

TEST(Detect, ScoresAreComparedAndNotMeasured) {
  const std::vector<double> low{0.1, 0.4, 0.35}, high{0.8, 0.3};
  std::vector<double> low_cubed, high_cubed;
  for (const double score : low) low_cubed.push_back(std::pow(score, 3));
  for (const double score : high) high_cubed.push_back(std::pow(score, 3));
  EXPECT_EQ(detect(low, high).auroc, detect(low_cubed, high_cubed).auroc);
  EXPECT_EQ(detect(low, high).aupr_in, detect(low_cubed, high_cubed).aupr_in);
}

}  // namespace
}  // namespace penumbra
