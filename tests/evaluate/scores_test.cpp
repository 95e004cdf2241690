#include "penumbra/evaluate/scores.h"

#include <gmock/gmock.h>

#include "penumbra/evaluate/strangers.h"
#include "penumbra/model/image_inference.h"
#include "tests/blobs_experiment.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

class CompareScores : public testing::Test {
 protected:
  // What the run's untrained network says of validation images, noise, and everything compared.
  std::vector<ScoreQuality> compare(const Experiment& experiment) {
    auto& network = *experiment.training.student;
    const auto& images = experiment.training.source.images;
    const auto& held_out = experiment.split.validation;
    const auto test = infer(network, images, held_out, experiment.model.normalisation);
    Reading reading;
    const auto noise = open_strangers("noise", {}, reading, experiment).images;
    const auto strange =
        infer(network, noise, all_positions(noise), experiment.model.normalisation);
    const auto labels = images.labels.index_select(0, torch::tensor(held_out, torch::kLong));
    Bootstrap how;
    how.rounds = 20;
    const auto scores =
        fitted_scores(network, experiment, {test, {}}, {{strange, {}}, {test, {}}}, /*ready=*/{},
                      [&](int64_t done, int64_t of) { progress_.emplace_back(done, of); });
    return qualities_of(scores, mistakes_of(test, labels), how);
  }

  std::vector<std::pair<int64_t, int64_t>> progress_;
};

TEST_F(CompareScores, EveryEstimatorIsThereAndThePapersScoreBesideIt) {
  const auto qualities = compare(blobs_experiment({"run.method=penumbra"}));
  std::vector<std::string> names;
  names.reserve(qualities.size());
  for (const auto& quality : qualities) names.push_back(quality.score);
  EXPECT_THAT(names,
              testing::IsSupersetOf(
                  {"knn", "certificates", "mahalanobis", "variance_head", "certificates as trained",
                   "certificates as trained, features as long as they are (the paper's)"}));
  const auto count = static_cast<int64_t>(qualities.size());
  EXPECT_EQ(progress_.back(), std::pair(count, count));
  EXPECT_EQ(static_cast<int64_t>(progress_.size()), count);
  for (const auto& quality : qualities) {
    ASSERT_EQ(quality.detections.size(), 2U);
    // Images are no strangers to themselves.
    EXPECT_NEAR(quality.detections[1].auroc.value, 0.5, 1e-9) << quality.score;
    for (const auto& detection : quality.detections) {
      EXPECT_LE(detection.auroc.low, detection.auroc.value + 1e-9) << quality.score;
      EXPECT_GE(detection.auroc.high, detection.auroc.value - 1e-9) << quality.score;
    }
    EXPECT_LE(quality.selective.aurc.low, quality.selective.aurc.high);
  }
}

TEST(Qualities, OfAModelWithoutMistakesSayNothingOfThem) {
  const std::vector<NamedScores> scores{{"doubt", {0.1, 0.2, 0.3}, {}}};
  for (const bool wrong : {false, true}) {
    const auto found = qualities_of(scores, std::vector<bool>(3, wrong), {/*rounds=*/10})[0];
    EXPECT_FALSE(found.own_errors);
    EXPECT_EQ(found.selective.aurc.value, wrong ? 1 : 0);
    EXPECT_EQ(found.selective.augrc.value, wrong ? 0.5 : 0);
    EXPECT_TRUE(found.detections.empty());
  }
  const auto mixed = qualities_of(scores, {false, false, true}, {/*rounds=*/10})[0];
  ASSERT_TRUE(mixed.own_errors);
  EXPECT_EQ(mixed.own_errors->value, 1);
}

TEST(Qualities, ReadyScoresAreDoubtEntropyAndTheJudgesOwn) {
  Judgement one;
  one.probability = 0.75;
  one.entropy = 0.5;
  one.epistemic = 3;
  const auto rough = ready_scores({{}, {one}}, {}, /*judge=*/nullptr);
  ASSERT_EQ(rough.size(), 2U);
  EXPECT_EQ(rough[0].name, "max_probability");
  EXPECT_EQ(rough[0].test, std::vector<double>{0.25});
  EXPECT_EQ(rough[1].test, std::vector<double>{0.5});
  const auto features = torch::randn({20, 4}, make_generator(1));
  const Output said{features.slice(1, 0, 2), features, {}};
  const auto labels = torch::arange(20, torch::kLong).remainder(2);
  const Judge judge({}, said, labels, said, labels);
  const auto all = ready_scores({said, {one}}, {{said, {one, one}}}, &judge);
  ASSERT_EQ(all.size(), 4U);  // the model has no variance head
  EXPECT_EQ(all[2].name, "epistemic");
  EXPECT_EQ(all[2].strangers[0], (std::vector<double>{3, 3}));
  EXPECT_EQ(all[3].name, "certificates");
  EXPECT_EQ(all[3].test.size(), 20U);
  EXPECT_EQ(all[3].test[5], judge.certificate_scores(said)[5].item<float>());
}

TEST(Qualities, TheTwinOfTheVerdictsScoreSaysTheSameOfEveryPicture) {
  const NamedScores epistemic{"epistemic", {1, 2, 300}, {}}, knn{"knn", {1, 2.00001, 300.01}, {}},
      other{"other", {1, 2, 301}, {}}, fewer{"fewer", {1, 2}, {}};
  EXPECT_EQ(twin_of_epistemic({other, epistemic, fewer, knn}), "knn");
  EXPECT_EQ(twin_of_epistemic({other, epistemic, fewer}), "");
  EXPECT_EQ(twin_of_epistemic({other, knn}), "");
}

TEST_F(CompareScores, WhatIsReadyIsNotFittedAgain) {
  const auto experiment = blobs_experiment({"run.method=penumbra"});
  auto& network = *experiment.training.student;
  const auto said = infer(network, experiment.training.source.images, experiment.split.validation,
                          experiment.model.normalisation);
  const auto scores = fitted_scores(network, experiment, {said, {}}, {}, {{"certificates", {}, {}}},
                                    [](int64_t, int64_t) {});
  EXPECT_GT(scores.size(), 3U);
  for (const auto& one : scores) EXPECT_NE(one.name, "certificates");
}

TEST_F(CompareScores, AModelWithoutHeadsHasNoScoresOfThem) {
  for (const auto& quality : compare(blobs_experiment({"run.method=supervised"})))
    EXPECT_THAT(quality.score, testing::Not(testing::AnyOf(HasSubstr("trained"), "variance_head")));
}

TEST(Qualities, RightAgainstWrongNeedsBoth) {
  EXPECT_FALSE(right_against_wrong({1, 2}, {false, false}));
  EXPECT_FALSE(right_against_wrong({1, 2}, {true, true}));
  EXPECT_FALSE(right_against_wrong({}, {}));
  const auto both = right_against_wrong({1, 5, 3}, {false, true, false});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->negatives(), 2);
  EXPECT_EQ(both->positives(), 1);
  EXPECT_EQ(both->detection().auroc, 1);
}

TEST(Qualities, MistakesAreWhereTheLikeliestClassIsNotTheLabel) {
  Output said;
  said.logits = torch::tensor({{1.0F, 0.0F}, {0.0F, 1.0F}, {2.0F, 1.0F}});
  EXPECT_EQ(mistakes_of(said, torch::tensor({0, 0, 1}, torch::kLong)),
            (std::vector<bool>{false, true, true}));
}

TEST(Qualities, OfNoScoresAreNone) {
  EXPECT_TRUE(qualities_of({}, {true, false}, {/*rounds=*/5}).empty());
}

}  // namespace
}  // namespace penumbra
