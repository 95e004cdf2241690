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

}  // namespace
}  // namespace penumbra
