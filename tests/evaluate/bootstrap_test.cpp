// Intervals against what theory says of them, and against each other.

#include "penumbra/evaluate/bootstrap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "penumbra/evaluate/calibration.h"
#include "penumbra/evaluate/detection.h"
#include "penumbra/evaluate/intervals.h"
#include "penumbra/evaluate/selective.h"
#include "penumbra/model/weights.h"

namespace penumbra {
namespace {

TEST(Bootstrap, OfAShareIsWhatWilsonSays) {
  const auto share = [](const Drawn& drawn) {
    return std::vector<double>{std::accumulate(drawn[0].begin(), drawn[0].begin() + 300, 0.0) /
                               static_cast<double>(drawn[0].size())};
  };
  const auto found = bootstrap({1000}, {/*rounds=*/4000}, share)[0];
  const auto expected = wilson(300, 1000);
  EXPECT_EQ(found.value, 0.3);
  EXPECT_NEAR(found.low, expected.low, 0.003);
  EXPECT_NEAR(found.high, expected.high, 0.003);
}

TEST(Bootstrap, DrawsFromEachGroupAsManyAsItHas) {
  int calls = 0;
  bootstrap({5, 1, 40}, {/*rounds=*/20}, [&](const Drawn& drawn) {
    ++calls;
    EXPECT_EQ(drawn.size(), 3U);
    EXPECT_EQ(drawn[1], std::vector<int>{1});
    for (const auto& [group, size] : {std::pair(0, 5), {2, 40}}) {
      const auto& times = drawn[static_cast<std::size_t>(group)];
      EXPECT_EQ(times.size(), static_cast<std::size_t>(size));
      EXPECT_EQ(std::accumulate(times.begin(), times.end(), 0), size);
    }
    return std::vector<double>{0};
  });
  EXPECT_EQ(calls, 21);  // once with everything
}

TEST(Bootstrap, IsTheSameForOneSeedWithAnyNumberOfThreads) {
  const auto sum = [](const Drawn& drawn) {
    double total = 0;
    for (std::size_t i = 0; i < drawn[0].size(); ++i) total += static_cast<double>(i) * drawn[0][i];
    return std::vector<double>{total, static_cast<double>(drawn[0][0])};
  };
  const auto one = bootstrap({30}, {200, /*seed=*/4, /*threads=*/1}, sum);
  const auto two = bootstrap({30}, {200, /*seed=*/4, /*threads=*/2}, sum);
  const auto other = bootstrap({30}, {200, /*seed=*/5, /*threads=*/1}, sum);
  EXPECT_EQ(one[0].low, two[0].low);
  EXPECT_EQ(one[0].high, two[0].high);
  EXPECT_NE(one[0].low, other[0].low);
}

TEST(Bootstrap, WithoutRoundsIsAsWideAsItsValue) {
  const auto found =
      bootstrap({3}, {/*rounds=*/0}, [](const Drawn&) { return std::vector<double>{2.5}; })[0];
  EXPECT_EQ(found.low, 2.5);
  EXPECT_EQ(found.high, 2.5);
}

TEST(Intervals, SurroundWhatTheyAreOf) {
  auto generator = make_generator(1);
  const auto labels = torch::arange(600, torch::kLong).remainder(7);
  const auto logits = 2 * torch::randn({600, 7}, generator) + 2 * torch::one_hot(labels, 7);
  const Bootstrap how{/*rounds=*/300};
  const auto metrics = measure(logits, labels);
  const auto expect = [](const Interval& found, double value, const char* name) {
    SCOPED_TRACE(name);
    EXPECT_NEAR(found.value, value, 1e-12);
    EXPECT_LT(found.low, value);
    EXPECT_GT(found.high, value);
  };
  const auto of_metrics = metric_intervals(logits, labels, how);
  expect(of_metrics.top5, metrics.top5, "top5");
  expect(of_metrics.balanced_accuracy, metrics.balanced_accuracy, "balanced_accuracy");
  for (const double temperature : {1.0, 1.7}) {
    const auto calibration = calibration_of(logits, labels, temperature);
    const auto found = calibration_intervals(logits, labels, temperature, how);
    expect(found.nll, measure(logits.to(torch::kDouble) / temperature, labels).nll, "nll");
    expect(found.brier, calibration.brier, "brier");
    expect(found.ece, calibration.ece, "ece");
    expect(found.aece, calibration.aece, "aece");
  }
  std::vector<double> low, high, scores;
  std::vector<bool> wrong;
  for (int i = 0; i < 200; ++i) {
    low.push_back(std::sin(i * 0.7));
    high.push_back(std::sin(i * 1.3) + 0.5);
    scores.push_back(std::cos(i * 0.9));
    wrong.push_back(std::cos(i * 0.9) + std::sin(i * 2.1) > 0.8);
  }
  const auto detection = detect(low, high);
  const auto of_detection = detection_intervals({{low, high}}, how)[0];
  expect(of_detection.auroc, detection.auroc, "auroc");
  expect(of_detection.aupr_out, detection.aupr_out, "aupr_out");
  expect(of_detection.aupr_in, detection.aupr_in, "aupr_in");
  EXPECT_EQ(of_detection.fpr95.value, detection.fpr95);
  EXPECT_LT(of_detection.fpr95.low, of_detection.fpr95.high);
  const auto selective = selective_of(scores, wrong);
  const auto of_selective = selective_intervals({{scores, wrong}}, how)[0];
  expect(of_selective.aurc, selective.aurc, "aurc");
  expect(of_selective.augrc, selective.augrc, "augrc");
  expect(of_selective.risk_at_80_coverage, selective.risk_at_80_coverage, "risk_at_80_coverage");
  EXPECT_EQ(of_selective.coverage_at_5_risk.value, selective.coverage_at_5_risk);
}

// A perfectly calibrated model: drawing adds noise to every bin's gap, so that nearly every sample
// has a larger error than the images themselves.
TEST(Intervals, OfCalibrationErrorsHoldTheirValueThoughSamplesHaveLargerOnes) {
  auto generator = make_generator(3);
  const auto p = torch::rand({500}, generator, torch::kDouble);
  const auto logits = torch::stack({(p / (1 - p)).log(), torch::zeros({500}, torch::kDouble)}, 1);
  const auto labels = (torch::rand({500}, generator, torch::kDouble) > p).to(torch::kLong);
  const auto found = calibration_intervals(logits, labels, 1, {/*rounds=*/300});
  for (const auto& one : {found.ece, found.aece}) {
    EXPECT_GE(one.low, 0);
    EXPECT_LT(one.low, one.value);
    EXPECT_GT(one.high, one.value);
  }
}

TEST(Bootstrap, OfABiasedStatisticIsMovedToItsValueAndNotBelowZero) {
  // Drawing ten of ten with replacement leaves about 3.5 out; nothing is left out of the whole.
  const auto left_out = [](const Drawn& drawn) {
    return std::vector<double>{
        static_cast<double>(std::count(drawn[0].begin(), drawn[0].end(), 0))};
  };
  EXPECT_GT(bootstrap({10}, {/*rounds=*/400}, left_out)[0].low, 0);
  const auto moved = bootstrap({10}, {/*rounds=*/400}, left_out, /*biased=*/{0})[0];
  EXPECT_EQ(moved.value, 0);
  EXPECT_EQ(moved.low, 0);
  EXPECT_GT(moved.high, 0);
}

TEST(Intervals, AreTheSameForAScoreAloneOrAmongOthers) {
  const RankedScores one({0.1, 0.5, 0.3, 0.4}, {0.6, 0.2, 0.7}), other({3, 1, 4, 1}, {5, 9, 2});
  const Bootstrap how{/*rounds=*/200};
  const auto together = detection_intervals({one, other}, how);
  EXPECT_EQ(together[0].auroc.low, detection_intervals({one}, how)[0].auroc.low);
  EXPECT_EQ(together[1].fpr95.high, detection_intervals({other}, how)[0].fpr95.high);
  EXPECT_TRUE(detection_intervals({}, how).empty());
  EXPECT_TRUE(selective_intervals({}, how).empty());
}

// Hanley and McNeil 1982: the deviation of an AUROC A of n familiar and m strangers.
TEST(Intervals, OfAurocAreWhatHanleyAndMcNeilSay) {
  std::vector<double> low, high;
  auto generator = make_generator(2);
  const auto familiar = torch::randn({400}, generator),
             strange = 1 + torch::randn({300}, generator);
  for (int64_t i = 0; i < 400; ++i) low.push_back(familiar[i].item<double>());
  for (int64_t i = 0; i < 300; ++i) high.push_back(strange[i].item<double>());
  const auto found = detection_intervals({{low, high}}, {/*rounds=*/2000})[0].auroc;
  const double a = found.value, q1 = a / (2 - a), q2 = 2 * a * a / (1 + a);
  const double deviation =
      std::sqrt((a * (1 - a) + 299 * (q1 - a * a) + 399 * (q2 - a * a)) / (400.0 * 300.0));
  EXPECT_NEAR((found.high - found.low) / 2, 1.96 * deviation, 0.15 * 1.96 * deviation);
}

}  // namespace
}  // namespace penumbra
