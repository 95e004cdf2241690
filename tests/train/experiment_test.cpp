#include "penumbra/train/experiment.h"

#include "penumbra/train/presets.h"
#include "tests/blobs_experiment.h"
#include "tests/expect_error.h"

namespace penumbra {
namespace {

// A name that a preset misspells would be ignored, since presets speak for every variant of a part.
TEST(Experiment, EverySettingOfAPresetIsReadBySomePart) {
  for (const auto& preset : list_presets())
    for (const auto& method : list_methods()) {
      const auto experiment =
          blobs_experiment({"run.preset=" + preset.name, "run.method=" + method.name});
      const PresetFacts facts{preset.name,   method.name, "blobs", "tiny",
                              "randaugment", {3, 8, 8},   4};
      for (const auto& setting : preset_settings(facts)) {
        bool found = false;
        for (const auto& [section, options] : experiment.effective)
          for (const auto& option : options) found |= section + "." + option.key == setting.name;
        EXPECT_TRUE(found) << preset.name << " " << method.name << ": " << setting.name;
      }
    }
}

TEST(Experiment, AnAblationMayLeaveOutWhatThePresetSets) {
  const auto experiment =
      blobs_experiment({"run.method=penumbra", "method.l_ua=0", "method.l_ue=0"});
  EXPECT_TRUE(experiment.training.student->heads().empty());
}

TEST(Experiment, TheVarianceHeadMeansWhatTheMethodTrained) {
  EXPECT_EQ(blobs_experiment({"run.method=penumbra"}).judge.variance, "log");
  EXPECT_EQ(blobs_experiment({"run.method=penumbra", "run.preset=paper"}).judge.variance, "paper");
}

TEST(Experiment, WhatNobodyReadsIsAnErrorWhenTheUserSetIt) {
  EXPECT_THAT(error_of([] {
                blobs_experiment({"run.method=penumbra", "method.lamda=1"});
              }),
              testing::HasSubstr("does not know 'lamda'"));
  EXPECT_THAT(error_of([] { blobs_experiment({"uncertainty.neighbors=3"}); }),
              testing::HasSubstr("does not know 'neighbors'"));
}

TEST(Experiment, OtherClassesStayInThePoolWithoutLabels) {
  const auto all = blobs_experiment();
  ASSERT_EQ(all.classes.size(), 4U);
  const auto kept = all.classes[2] + "," + all.classes[0];
  const auto some = blobs_experiment({"run.classes=" + kept, "run.labels=4", "run.validation=4"});
  EXPECT_EQ(some.classes, (std::vector<std::string>{all.classes[2], all.classes[0]}));
  EXPECT_EQ(some.training.student->classes(), 2);
  const auto& images = some.training.source.images;
  EXPECT_EQ(images.size(), all.training.source.images.size());
  for (const auto position : some.split.labelled) {
    const auto label = images.labels[position].item<int64_t>();
    EXPECT_EQ(all.training.source.images.labels[position].item<int64_t>(), label == 0 ? 2 : 0);
  }
  // Every picture of the two others is unlabelled now.
  const auto strangers = all.training.source.images.labels.remainder(2).eq(1);
  EXPECT_TRUE(images.labels.index({strangers}).eq(kUnlabelled).all().item<bool>());
  EXPECT_LE(some.test.labels.max().item<int64_t>(), 1);
  EXPECT_LT(some.test.size(), all.test.size());
}

TEST(Experiment, TestImagesOfKnownClassesKeepTheirNumbers) {
  const auto all = blobs_experiment();
  const auto some = blobs_experiment(
      {"run.classes=" + all.classes[2] + "," + all.classes[0], "run.labels=4", "run.validation=4"});
  ASSERT_EQ(some.test.files.size(), static_cast<std::size_t>(some.test.size()));
  for (int64_t i = 0; i < some.test.size(); ++i) {
    const auto number = std::stoll(std::string(some.test.files[static_cast<std::size_t>(i)]));
    EXPECT_TRUE(some.test.pixels[i].equal(all.test.pixels[number]));
  }
}

TEST(Experiment, AClassThatIsNotThereIsNamed) {
  EXPECT_THAT(error_of([] { blobs_experiment({"run.classes=nobody"}); }),
              testing::HasSubstr("no class 'nobody'; there are: "));
}

TEST(Experiment, APoolAddsUnlabelledPictures) {
  const auto alone = blobs_experiment();
  const auto more = blobs_experiment({"run.pool=noise", "pool.count=30", "pool.size=8"});
  const auto before = alone.training.source.images.size();
  ASSERT_EQ(more.training.source.images.size(), before + 30);
  EXPECT_EQ(more.split.unlabelled.size(), alone.split.unlabelled.size() + 30);
  EXPECT_TRUE(
      more.training.source.images.labels.slice(0, before).eq(kUnlabelled).all().item<bool>());
  EXPECT_NE(more.fingerprint, alone.fingerprint);
  EXPECT_THAT(error_of([] {
                blobs_experiment({"run.pool=noise", "pool.count=30", "pool.size=16"});
              }),
              testing::HasSubstr("--set pool.size=8 resizes a folder"));
}

TEST(Experiment, AnswersAreForMirrorImagesWhereTheseAreLearnt) {
  EXPECT_FALSE(blobs_experiment({}).model.mirror);  // which quick has as "auto"
  const auto learnt = blobs_experiment({"augment.mirror=true"});
  EXPECT_TRUE(learnt.model.mirror);
  EXPECT_TRUE(learnt.training.student->mirrors());
  EXPECT_FALSE(blobs_experiment({"augment.mirror=true", "run.mirror=false"}).model.mirror);
  EXPECT_THAT(error_of([] { blobs_experiment({"run.mirror=true"}); }),
              testing::HasSubstr("expected --set augment.mirror=true with it"));
}

TEST(Experiment, ADeviceThatIsNotThereIsNamedWithOneThatIs) {
  EXPECT_THAT(error_of([] { blobs_experiment({"run.device=abacus"}); }),
              testing::AllOf(testing::HasSubstr("device 'abacus' is not to be had"),
                             testing::HasSubstr("--device cpu always works")));
}

// Near a threshold a second measurement would choose other settings than the first.
TEST(Experiment, QuickMeasuresTheMachineOnceAndKeepsWhatItFound) {
  const auto value_of = [](const Experiment& experiment, const std::string& name) {
    for (const auto& [section, options] : experiment.effective)
      for (const auto& option : options)
        if (section + "." + option.key == name) return option.value;
    return std::string("no ") + name;
  };
  const auto with_cores = [](const std::string& cores) {
    return blobs_experiment({"run.minutes=1", "run.cores=" + cores});
  };
  EXPECT_EQ(value_of(with_cores("0.05"), "train.lr"), "0.025");  // next to no time
  EXPECT_EQ(value_of(with_cores("50"), "train.lr"), "0.02");
  EXPECT_EQ(value_of(with_cores("50"), "run.cores"), "50");
  const auto measured = with_cores("0");
  EXPECT_GT(measured.run.cores, 0);
  const auto again = with_cores(value_of(measured, "run.cores"));
  EXPECT_EQ(again.run.cores, measured.run.cores);
  EXPECT_EQ(again.fingerprint, measured.fingerprint);
  // Where nothing depends on it nothing is measured.
  EXPECT_EQ(blobs_experiment({"run.minutes=0"}).run.cores, 0);
  EXPECT_EQ(blobs_experiment({"run.preset=paper"}).run.cores, 0);
}

TEST(Experiment, StepsCanBeSetAnew) {
  auto experiment = blobs_experiment({"train.steps=10"});
  const auto fingerprint = experiment.fingerprint;
  set_steps(experiment, 77);
  EXPECT_EQ(experiment.training.options.steps, 77);
  EXPECT_EQ(experiment.training.options.schedule.steps, 77);
  for (const auto& [section, options] : experiment.effective)
    for (const auto& option : options)
      if (section == "train" && option.key == "steps") {
        EXPECT_EQ(option.value, "77");
      }
  EXPECT_EQ(experiment.fingerprint, fingerprint);
}

TEST(Experiment, TheSameSettingsHaveTheSameFingerprintAndOthersAnother) {
  const auto one = blobs_experiment().fingerprint;
  EXPECT_EQ(blobs_experiment().fingerprint, one);
  for (const char* change : {"run.seed=1", "data.count=81", "train.lr=0.2", "method.threshold=0.5",
                             "run.labels=12", "model.width=8"})
    EXPECT_NE(blobs_experiment({change}).fingerprint, one) << change;
}

}  // namespace
}  // namespace penumbra
