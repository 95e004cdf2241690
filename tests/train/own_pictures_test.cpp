// Experiments on a person's own pictures, and what they say of their choices.

#include "penumbra/data/picture.h"
#include "penumbra/data/split_file.h"
#include "penumbra/train/experiment.h"
#include "tests/expect_error.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class OwnPictures : public testing::Test {
 protected:
  // `count` grey pictures of 8 x 8 below `place`, each of a level of its own.
  void add(const std::string& place, int count) {
    std::filesystem::create_directories(folder_ / place);
    for (int i = 0; i < count; ++i)
      encode_png(folder_ / (place + "/" + std::to_string(i) + ".png"),
                 {8, 8, 1, std::vector<uint8_t>(64, level_++)});
  }
  Experiment assembled(const std::vector<std::string>& settings = {}) {
    Config config;
    config.set("run.data", folder_.path().string(), "a test");
    for (const char* setting : {"run.backbone=tiny", "run.method=fixmatch", "train.steps=5"})
      config.set_argument(setting);
    for (const auto& setting : settings) config.set_argument(setting);
    Reading reading;
    return assemble(config, {}, reading);
  }

  TestFolder folder_;
  uint8_t level_ = 0;
};

TEST_F(OwnPictures, WithoutATestSetAFifthIsHeldOut) {
  add("cat", 20);
  add("dog", 30);
  const auto experiment = assembled();
  EXPECT_TRUE(experiment.own_pictures);
  EXPECT_EQ(experiment.split.test.size(), 10U);
  EXPECT_EQ(experiment.test.size(), 0);
  EXPECT_THAT(experiment.notes,
              Contains("the data has no test set: 10 labelled pictures are held out as one"));
  EXPECT_EQ(experiment.model.input.height, 8);
  EXPECT_EQ(experiment.model.fit, "crop");
}

TEST_F(OwnPictures, TheirOwnTestAndValidationSetsAreTaken) {
  for (const char* part : {"labelled", "validation", "test"}) {
    add(part + std::string("/cat"), 6);
    add(part + std::string("/dog"), 6);
  }
  add("unlabelled", 15);
  const auto experiment = assembled();
  EXPECT_EQ(experiment.test.size(), 12);
  EXPECT_EQ(experiment.validation.size(), 12);
  EXPECT_TRUE(experiment.split.test.empty());
  EXPECT_TRUE(experiment.split.validation.empty());
  EXPECT_EQ(experiment.split.labelled.size(), 12U);
  EXPECT_EQ(experiment.split.unlabelled.size(), 15U);
  EXPECT_THAT(experiment.notes, IsEmpty());
}

TEST_F(OwnPictures, TooFewForAValidationSetAreSaidToBe) {
  add("cat", 5);
  add("dog", 5);
  const auto experiment = assembled();
  EXPECT_TRUE(experiment.split.validation.empty());
  EXPECT_THAT(experiment.notes, Contains(HasSubstr("too few labels for a validation set")));
}

TEST_F(OwnPictures, AnEarlierSplitIsTakenAndDoesNotChangeTheFingerprint) {
  add("cat", 20);
  add("dog", 20);
  const auto first = assembled({"run.seed=5"});
  const auto file = folder_ / "split.csv";
  write_split(file, first.split, first.training.source.images);
  const auto again = assembled({"run.seed=5", "run.split=" + file.string()});
  EXPECT_EQ(again.split.labelled, first.split.labelled);
  EXPECT_EQ(again.split.unlabelled, first.split.unlabelled);
  EXPECT_EQ(again.fingerprint, first.fingerprint);
}

TEST_F(OwnPictures, ASplitWithAPoolHoldsWhenPicturesAreAdded) {
  add("cat", 20);
  add("dog", 20);
  const TestFolder elsewhere;
  const auto file = (elsewhere / "split.csv").string();
  const std::vector<std::string> pool{"run.pool=noise", "pool.count=9", "pool.size=8",
                                      "pool.channels=3"};
  const auto first = assembled(pool);
  write_split(file, first.split, first.training.source.images);
  const auto pixels = [](const Experiment& experiment, const std::vector<int64_t>& positions) {
    return experiment.training.source.images.pixels.index_select(
        0, torch::tensor(positions, torch::kLong));
  };
  std::filesystem::copy_file(folder_ / "cat/3.png", folder_ / "cat/0000.png");
  auto settings = pool;
  settings.push_back("run.split=" + file);
  const auto again = assembled(settings);
  EXPECT_EQ(again.training.source.images.size(), first.training.source.images.size() + 1);
  EXPECT_TRUE(pixels(again, again.split.test).equal(pixels(first, first.split.test)));
  EXPECT_TRUE(pixels(again, again.split.labelled).equal(pixels(first, first.split.labelled)));
  EXPECT_EQ(again.split.unlabelled.size(), first.split.unlabelled.size());
  // That of a run without the pool would leave all of it out.
  const auto alone = assembled();
  write_split(file, alone.split, alone.training.source.images);
  EXPECT_THAT(error_of([&] { assembled(settings); }),
              HasSubstr("has no picture of the pool noise"));
}

TEST_F(OwnPictures, AChangedPictureOrLabelHasAnotherFingerprint) {
  add("cat", 20);
  add("dog", 20);
  const auto before = assembled().fingerprint;
  EXPECT_EQ(assembled().fingerprint, before);
  encode_png(folder_ / "cat/3.png", {8, 8, 1, std::vector<uint8_t>(64, 255)});
  const auto changed = assembled().fingerprint;
  EXPECT_NE(changed, before);
  std::filesystem::rename(folder_ / "cat/3.png", folder_ / "dog/30.png");
  const auto moved = assembled().fingerprint;
  EXPECT_NE(moved, changed);
  std::filesystem::rename(folder_ / "dog", folder_ / "dogs");
  EXPECT_NE(assembled().fingerprint, moved);
}

TEST_F(OwnPictures, EffectiveSettingsMakeTheSameExperiment) {
  add("cat", 20);
  add("dog", 20);
  const auto first = assembled({"method.threshold=0.8", "run.seed=2"});
  Config config;
  config.read_text(to_toml(first.effective), "config.toml");
  Reading reading;
  const auto again = assemble(config, {}, reading);
  EXPECT_EQ(again.fingerprint, first.fingerprint);
  EXPECT_EQ(to_toml(again.effective), to_toml(first.effective));
}

TEST_F(OwnPictures, APoolIsAnyFolderOfPicturesInTheSizeOfTheData) {
  add("cat", 10);
  add("dog", 10);
  const TestFolder pool;
  for (const char* name : {"1.png", "deep/er/2.png"}) {
    std::filesystem::create_directories((pool / name).parent_path());
    encode_png(pool / name, {16, 16, 1, std::vector<uint8_t>(256, 9)});
  }
  const auto setting = "run.pool=" + pool.path().string();
  const auto experiment = assembled({setting});
  EXPECT_EQ(experiment.training.source.images.size(), 22);
  EXPECT_EQ(experiment.training.source.images.height(), 8);
  EXPECT_THAT(error_of([&] {
                assembled({setting, "pool.size=16"});
              }),
              HasSubstr("has pictures of 16 x 16 x 3: expected 8 x 8 x 3 as in the data; --set "
                        "pool.size=8 resizes a folder"));
  EXPECT_THAT(error_of([&] { assembled({"run.pool=" + (folder_.path() / ".").string()}); }),
              HasSubstr("is the data itself: expected other pictures"));
}

TEST_F(OwnPictures, AreFoundAgainFromAnotherFolderAndMayBeMoved) {
  add("cat", 20);
  add("dog", 20);
  const auto before = assembled();
  for (const auto& [section, options] : before.effective)
    for (const auto& option : options)
      if (section + option.key == "rundata" || section + option.key == "datapath") {
        EXPECT_EQ(option.value, folder_.path().string());
      }
  const TestFolder other;
  std::filesystem::rename(folder_.path(), other / "moved");
  Config config;
  config.read_text(to_toml(before.effective), "config.toml");
  config.set("run.data", (other / "moved").string(), "a test");
  config.set("data.path", (other / "moved").string(), "a test");
  Reading reading;
  EXPECT_EQ(assemble(config, {}, reading).fingerprint, before.fingerprint);
  std::filesystem::rename(other / "moved", folder_.path());
}

TEST_F(OwnPictures, SettingsOfAPoolThatIsNotThereAreAnError) {
  add("cat", 10);
  add("dog", 10);
  EXPECT_THAT(error_of([&] { assembled({"pool.size=8"}); }),
              HasSubstr("a run without --pool does not know 'size'"));
  EXPECT_THAT(error_of([&] { assembled({"rnu.seed=8"}); }),
              HasSubstr("setting 'rnu.seed' (from --set) is in no known section; there are: run"));
  EXPECT_THAT(error_of([&] { assembled({"run.sede=8"}); }),
              HasSubstr("a run does not know 'sede'"));
  EXPECT_THAT(error_of([&] { assembled({"train.lrr=8"}); }),
              HasSubstr("training does not know 'lrr'"));
  EXPECT_THAT(error_of([&] { assembled({"run.preset=slow"}); }),
              HasSubstr("no preset 'slow'; there are: paper quick"));
}

}  // namespace
}  // namespace penumbra
