#include "penumbra/evaluate/strangers.h"

#include "penumbra/evaluate/certify.h"
#include "penumbra/model/image_inference.h"
#include "penumbra/model/weights.h"
#include "tests/blobs_experiment.h"
#include "tests/expect_error.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

Strangers open(const std::string& name, const Experiment& experiment,
               std::vector<std::string>* notes = nullptr) {
  Reading reading;
  auto found = open_strangers(name, {}, reading, experiment);
  if (notes != nullptr) *notes = reading.notes;
  return found;
}

TEST(Strangers, ComeInTheShapeOfTheModel) {
  const auto experiment = blobs_experiment();
  const auto strangers = open("noise", experiment);
  EXPECT_EQ(strangers.name, "noise");
  EXPECT_GT(strangers.images.size(), 100);
  EXPECT_EQ(strangers.images.pixels[0].sizes(), torch::IntArrayRef({8, 8, 3}));
}

TEST(Strangers, AreNotTheRunsOwnData) {
  EXPECT_THAT(error_of([] { open("blobs", blobs_experiment()); }),
              HasSubstr("'blobs' is what the model was trained on"));
}

TEST(Strangers, AreNotTheRunsOwnDataByAnotherName) {
  const TestFolder folder;
  std::filesystem::create_directories(folder / "photos/test/cat");
  auto experiment = blobs_experiment();
  experiment.run.data = (folder / "photos").string();
  for (const char* name : {"photos/", "photos/test", "photos/../photos/test/cat"})
    EXPECT_THAT(error_of([&] { open((folder / name).string(), experiment); }),
                HasSubstr("is what the model was trained on"))
        << name;
  // A folder around it holds it.
  EXPECT_THAT(error_of([&] { open(folder.path().string(), experiment); }),
              HasSubstr("is what the model was trained on, or holds it"));
  // Beside it is not in it.
  std::filesystem::create_directories(folder / "photos2");
  EXPECT_THAT(error_of([&] { open((folder / "photos2").string(), experiment); }),
              testing::Not(HasSubstr("was trained on")));
}

TEST(Strangers, AreNotTheFilesOfTheRunByTheNameOfTheirDataset) {
  const TestFolder root;
  std::filesystem::create_directories(root / "cifar-10-batches-bin");
  auto experiment = blobs_experiment();
  experiment.run.data = (root / "cifar-10-batches-bin").string();
  Reading reading;
  EXPECT_THAT(error_of([&] { open_strangers("cifar10", root.path(), reading, experiment); }),
              HasSubstr("'cifar10' is what the model was trained on"));
}

TEST(Strangers, AreNotThePoolOfTheRun) {
  const TestFolder folder;
  std::filesystem::create_directories(folder / "pool/inner");
  auto experiment = blobs_experiment();
  experiment.run.pool = (folder / "pool").string();
  for (const char* name : {"pool", "pool/inner"})
    EXPECT_THAT(error_of([&] { open((folder / name).string(), experiment); }),
                HasSubstr("is the pool that the model was trained on"))
        << name;
}

void copy_picture(const char* from, const std::filesystem::path& to) {
  std::filesystem::copy_file(
      std::filesystem::path(PENUMBRA_SOURCE_DIR "/fuzz/corpus/picture") / from, to);
}

TEST(Strangers, AreNotACopyOfTheTestPicturesInAnyOrder) {
  const TestFolder folder;
  copy_picture("png_RGB", folder / "a.png");
  copy_picture("jpeg_L", folder / "b.jpg");
  auto experiment = blobs_experiment();
  const auto copied = open(folder.path().string(), experiment).images.pixels;
  experiment.test.pixels = torch::cat({experiment.test.pixels, copied.flip(0)});
  EXPECT_THAT(error_of([&] { open(folder.path().string(), experiment); }),
              HasSubstr("each of its 2 pictures is a test picture of blobs"));
  copy_picture("webp", folder / "c.webp");  // one that is no test picture
  EXPECT_EQ(open(folder.path().string(), experiment).images.size(), 3);
}

TEST(Strangers, AreNamedOnceAndWithoutSlashesAtTheEnd) {
  EXPECT_EQ(stranger_names({"noise", "a/b//"}), (std::vector<std::string>{"noise", "a/b"}));
  EXPECT_THAT(error_of([] {
                stranger_names({"noise", "svhn", "noise"});
              }),
              HasSubstr("--ood 'noise' is given twice"));
  const TestFolder folder;
  std::filesystem::create_directories(folder / "odd");
  EXPECT_THAT(error_of([&] {
                stranger_names({(folder / "odd").string(), (folder / "odd/../odd/").string()});
              }),
              HasSubstr("is given twice"));
}

TEST(Strangers, FromAFolderNeedNoClassesAndBrokenPicturesAreLeftOut) {
  const TestFolder folder;
  std::filesystem::create_directories(folder / "any/where");
  for (const auto& [from, to] :
       {std::pair("png_RGB", "a.png"), {"jpeg_L", "any/where/b.jpg"}, {"webp", "any/c.webp"}})
    copy_picture(from, folder / to);
  folder.write("any/broken.png", "no picture");
  std::vector<std::string> notes;
  const auto strangers = open(folder.path().string(), blobs_experiment(), &notes);
  EXPECT_EQ(strangers.images.size(), 3);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0], HasSubstr("1 of 4 pictures in"));
  EXPECT_TRUE(strangers.images.labels.eq(kUnlabelled).all().item<bool>());
}

TEST(Strangers, AFolderWithoutPicturesThatCanBeReadIsAnError) {
  const TestFolder folder;
  folder.write("readme.txt", "nothing to see");
  const auto error = [&] {
    return error_of([&] { open(folder.path().string(), blobs_experiment()); });
  };
  EXPECT_THAT(error(), HasSubstr("' has no picture to show as a stranger: 0 found, 0 of them "
                                 "unreadable; expected JPEG, PNG or WebP files"));
  folder.write("a.png", "no picture");
  folder.write("inner/b.jpg", "nor this");
  EXPECT_THAT(error(), HasSubstr("2 found, 2 of them unreadable"));
}

class CompareScores : public testing::Test {
 protected:
  // What the run's untrained network says of validation images, noise, and everything compared.
  std::vector<ScoreQuality> compare(const Experiment& experiment) {
    auto& network = *experiment.training.student;
    const auto& images = experiment.training.source.images;
    const auto& held_out = experiment.split.validation;
    const auto test = infer(network, images, held_out, experiment.model.normalisation);
    const auto noise = open("noise", experiment).images;
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

TEST(Strangers, ThatAreNeitherADatasetNorAFolderAreNamed) {
  EXPECT_THAT(error_of([] { open("nosie", blobs_experiment()); }),
              HasSubstr("no dataset or folder 'nosie': expected a folder of pictures or one of: "));
}

}  // namespace
}  // namespace penumbra
