#include "penumbra/evaluate/calibration.h"

#include "penumbra/evaluate/detection.h"
#include "penumbra/evaluate/selective.h"
#include "tests/expect_error.h"
#include "tests/golden_values.h"

namespace penumbra {
namespace {

torch::Tensor three_of_four_right() {
  const auto wrong = torch::arange(40, torch::kLong).remainder(4) == 0;
  return (golden_logits().argmax(1) + wrong.to(torch::kLong)).remainder(7);
}

TEST(Calibration, AgreesWithNumPy) {
  const auto expected = golden("calibration.json");
  for (const double temperature : {1.0, 0.5}) {
    const auto found = calibration_of(golden_logits(), three_of_four_right(), temperature);
    const auto& wanted = expected[temperature == 1 ? "raw" : "sharp"];
    EXPECT_NEAR(found.brier, wanted["brier"].get<double>(), 1e-12);
    EXPECT_NEAR(found.ece, wanted["ece"].get<double>(), 1e-12);
    EXPECT_NEAR(found.aece, wanted["aece"].get<double>(), 1e-12);
    EXPECT_NEAR(found.mce, wanted["mce"].get<double>(), 1e-12);
    int64_t images = 0;
    for (const auto& bin : found.bins) images += bin.images;
    EXPECT_EQ(images, 40);
  }
}

TEST(Calibration, OfCertaintyThatIsRightIsPerfect) {
  const auto labels = torch::arange(6, torch::kLong).remainder(3);
  const auto logits = 100 * torch::one_hot(labels, 3).to(torch::kDouble);
  const auto found = calibration_of(logits, labels);
  EXPECT_NEAR(found.brier + found.ece + found.aece + found.mce, 0, 1e-12);
  EXPECT_EQ(found.bins.back().images, 6);
}

TEST(Selective, AgreesWithNumPyAndScikitLearn) {
  std::vector<double> scores;
  std::vector<bool> wrong;
  for (int i = 0; i < 40; ++i) {
    scores.push_back(std::sin(0.9 * i));
    wrong.push_back(std::sin(0.9 * i + 0.5) > 0.6);
  }
  const auto found = selective_of(scores, wrong);
  const auto expected = golden("calibration.json")["selective"];
  EXPECT_NEAR(found.aurc, expected["aurc"].get<double>(), 1e-12);
  EXPECT_NEAR(found.augrc, expected["augrc"].get<double>(), 1e-12);
  EXPECT_NEAR(found.coverage_at_5_risk, expected["coverage_at_5_risk"].get<double>(), 1e-12);
  EXPECT_NEAR(found.risk_at_80_coverage, expected["risk_at_80_coverage"].get<double>(), 1e-12);
}

TEST(Selective, OfEqualScoresDoesNotDependOnTheOrder) {
  const std::vector<double> same(4, 1.0);
  const auto a = selective_of(same, {true, false, false, false});
  const auto b = selective_of(same, {false, false, false, true});
  EXPECT_EQ(a.risk, b.risk);
  EXPECT_NEAR(a.aurc, 0.25, 1e-12);
}

TEST(RankedAnswers, CountAnAnswerAsOftenAsItWasDrawn) {
  const RankedAnswers answers({0.4, 0.1, 0.4, 0.9}, {true, false, false, true});
  EXPECT_EQ(answers.answers(), 4);
  const auto drawn = answers.selective({2, 0, 1, 1});
  const auto written_out = selective_of({0.4, 0.4, 0.4, 0.9}, {true, true, false, true});
  EXPECT_EQ(drawn.risk, written_out.risk);
  EXPECT_EQ(drawn.aurc, written_out.aurc);
  EXPECT_EQ(drawn.augrc, written_out.augrc);
  EXPECT_EQ(drawn.coverage_at_5_risk, written_out.coverage_at_5_risk);
  EXPECT_EQ(drawn.risk_at_80_coverage, written_out.risk_at_80_coverage);
  EXPECT_EQ(answers.selective({0, 4, 0, 0}).risk, std::vector<double>(4, 0));
}

// Traub et al. 2024: AUGRC = (1 - AUROC) acc (1 - acc) + (1 - acc)^2 / 2, ties included.
TEST(Selective, AugrcFollowsFromTheAurocOfMistakes) {
  const std::vector<double> right{0.1, 0.4, 0.4, 0.7}, mistaken{0.4, 0.9};
  const auto found =
      selective_of({0.1, 0.4, 0.4, 0.7, 0.4, 0.9}, {false, false, false, false, true, true});
  const double auroc = detect(right, mistaken).auroc, error = 2.0 / 6;
  EXPECT_NEAR(found.augrc, (1 - auroc) * error * (1 - error) + error * error / 2, 1e-12);
}

TEST(Selective, RefusesNothing) {
  EXPECT_THAT(error_of([] { selective_of({}, {}); }), testing::HasSubstr("cannot rank 0 scores"));
}

// Four answers: two with confidence 0.9, one of them right, and two with 0.6, both right. Bins of
// 1/15: |0.9 - 0.5| and |0.6 - 1|, each half of the images; 0.4 in the mean and at most.
TEST(Calibration, OfFourAnswersIsWhatTheFormulaSays) {
  const auto logit = [](double p) { return std::log(p / (1 - p)); };
  const auto logits = torch::tensor(
      {{logit(0.9), 0.0}, {logit(0.9), 0.0}, {logit(0.6), 0.0}, {logit(0.6), 0.0}}, torch::kDouble);
  const auto labels = torch::tensor({0, 1, 0, 0}, torch::kLong);
  const auto found = calibration_of(logits, labels);
  EXPECT_NEAR(found.ece, 0.4, 1e-12);
  EXPECT_NEAR(found.mce, 0.4, 1e-12);
  // 2 (1 - p)^2 where right and 2 p^2 where wrong: (0.02 + 1.62 + 0.32 + 0.32) / 4
  EXPECT_NEAR(found.brier, 0.57, 1e-12);
  EXPECT_NEAR(found.nll, -(std::log(0.9) + std::log(0.1) + 2 * std::log(0.6)) / 4, 1e-12);
  EXPECT_EQ(found.bins[13].images, 2);  // 13/15 < 0.9 <= 14/15
  EXPECT_NEAR(found.bins[13].accuracy, 0.5, 1e-12);
  EXPECT_EQ(found.bins[0].images, 0);
}

TEST(Calibration, AnswersComeLeastConfidentFirstAndTheTemperatureDividesLogits) {
  const auto logits = torch::tensor({{4.0, 0.0}, {0.0, 1.0}, {2.0, 0.0}}, torch::kDouble);
  const auto labels = torch::tensor({0, 0, 0}, torch::kLong);
  const auto answers = answers_of(logits, labels, /*temperature=*/2);
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_NEAR(answers[0].confidence, 1 / (1 + std::exp(-0.5)), 1e-12);
  EXPECT_FALSE(answers[0].right);
  EXPECT_NEAR(answers[1].confidence, 1 / (1 + std::exp(-1.0)), 1e-12);
  EXPECT_NEAR(answers[2].confidence, 1 / (1 + std::exp(-2.0)), 1e-12);
  EXPECT_NEAR(answers[2].nll, -std::log(answers[2].confidence), 1e-12);
}

// Of five answers the third and the last are wrong: risks 0, 0, 1/3, 1/4, 2/5.
TEST(Selective, OfFiveAnswersIsWhatTheFormulaSays) {
  const auto found = selective_of({1, 2, 3, 4, 5}, {false, false, true, false, true});
  const std::vector<double> risk{0, 0, 1.0 / 3, 1.0 / 4, 2.0 / 5};
  ASSERT_EQ(found.risk.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(found.risk[i], risk[i], 1e-12);
  EXPECT_NEAR(found.aurc, (1.0 / 3 + 1.0 / 4 + 2.0 / 5) / 5, 1e-12);
  EXPECT_NEAR(found.coverage_at_5_risk, 0.4, 1e-12);
  EXPECT_NEAR(found.risk_at_80_coverage, 0.25, 1e-12);
}

TEST(Selective, OfOneAnswerIsAllOrNothing) {
  EXPECT_EQ(selective_of({0.3}, {false}).coverage_at_5_risk, 1);
  EXPECT_EQ(selective_of({0.3}, {true}).coverage_at_5_risk, 0);
  EXPECT_EQ(selective_of({0.3}, {true}).risk_at_80_coverage, 1);
}

TEST(Selective, ScoresAndAnswersMustBeAsMany) {
  EXPECT_THAT(error_of([] {
                selective_of({1, 2}, {true});
              }),
              testing::HasSubstr("cannot rank 2 scores of 1 answers"));
}

}  // namespace
}  // namespace penumbra
