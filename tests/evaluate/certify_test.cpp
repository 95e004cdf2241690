#include "penumbra/evaluate/certify.h"

#include "penumbra/model/image_inference.h"
#include "tests/blobs_experiment.h"
#include "tests/expect_error.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

TEST(Certify, FamiliarAreLabelledImagesAndThenUnlabelledOnesWithoutTheirLabels) {
  const auto experiment = blobs_experiment();
  const auto familiar = look_at_familiar(*experiment.training.student, experiment);
  const auto labelled = static_cast<int64_t>(experiment.split.labelled.size());
  const auto unlabelled = static_cast<int64_t>(experiment.split.unlabelled.size());
  ASSERT_EQ(familiar.labels.size(0), labelled + unlabelled);
  EXPECT_EQ(familiar.said.features.size(0), labelled + unlabelled);
  EXPECT_TRUE(familiar.labels.slice(0, 0, labelled).ge(0).all().item<bool>());
  EXPECT_TRUE(familiar.labels.slice(0, labelled).eq(kUnlabelled).all().item<bool>());
  EXPECT_EQ(images_to_certify(experiment),
            labelled + unlabelled + static_cast<int64_t>(experiment.split.validation.size()));
}

TEST(Certify, AnImageThatIsLabelledAndInThePoolIsLookedAtOnce) {
  EXPECT_EQ(images_to_certify(blobs_experiment({"run.unlabelled=all"})),
            images_to_certify(blobs_experiment()));
}

TEST(Certify, WithoutValidationImagesThereIsNoJudge) {
  const auto experiment = blobs_experiment({"run.validation=0"});
  EXPECT_EQ(fit_judge(*experiment.training.student, experiment), nullptr);
  EXPECT_EQ(images_to_certify(experiment), 0);
}

class JudgeInFile : public testing::Test {
 protected:
  JudgeInFile() : judge_(fit_judge(*experiment_.training.student, experiment_)) {
    attach(*judge_, experiment_.model);
    write_model(folder_ / "m.safetensors", *experiment_.training.student, experiment_.model);
  }

  std::vector<Judgement> judged(const Judge& judge, Classifier& classifier) {
    const auto& images = experiment_.training.source.images;
    return judge.judge(infer(classifier, images, {0, 1, 2, 3}, experiment_.model.normalisation));
  }

  TestFolder folder_;
  Experiment experiment_ = blobs_experiment({"run.method=penumbra"});
  std::unique_ptr<Judge> judge_;
};

TEST_F(JudgeInFile, SaysWhatItSaidBefore) {
  const auto model = read_model(folder_ / "m.safetensors");
  const auto judge = judge_of(model.info);
  ASSERT_NE(judge, nullptr);
  const auto before = judged(*judge_, *experiment_.training.student);
  const auto after = judged(*judge, *model.classifier);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i].label, before[i].label);
    EXPECT_NEAR(after[i].probability, before[i].probability, 1e-6);
    // A score has no bound: as far as single precision goes.
    EXPECT_NEAR(after[i].epistemic, before[i].epistemic, 1e-6 * (1 + before[i].epistemic));
    EXPECT_EQ(after[i].verdict, before[i].verdict);
  }
}

TEST_F(JudgeInFile, WhoseDescriptionIsDamagedIsAnError) {
  auto model = read_model(folder_ / "m.safetensors");
  model.info.uncertainty.erase("temperature");
  EXPECT_THAT(error_of([&] { judge_of(model.info); }),
              HasSubstr("the model's uncertainty is damaged"));
  model.info.uncertainty = Json();
  EXPECT_EQ(judge_of(model.info), nullptr);
}

}  // namespace
}  // namespace penumbra
