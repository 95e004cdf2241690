#include "penumbra/train/leaks.h"

#include <gmock/gmock.h>

#include "penumbra/data/picture.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Leaks : public testing::Test {
 protected:
  // Grey pictures of 8 x 8 below `place`, one of each level.
  void add(const std::string& place, const std::vector<uint8_t>& levels) {
    std::filesystem::create_directories(folder_ / place);
    for (const auto level : levels)
      encode_png(folder_ / (place + "/" + std::to_string(level) + ".png"),
                 {8, 8, 1, std::vector<uint8_t>(64, level)});
  }
  std::vector<std::string> found() {
    Config config;
    config.set("run.data", folder_.path().string(), "a test");
    for (const char* setting : {"run.backbone=tiny", "train.steps=5"}) config.set_argument(setting);
    Reading reading;
    return describe_leaks(assemble(config, {}, reading));
  }

  TestFolder folder_;
};

TEST_F(Leaks, OfPicturesThatAreAllDifferentThereAreNone) {
  add("labelled/cat", {1, 2, 3, 4});
  add("labelled/dog", {11, 12, 13, 14});
  add("unlabelled", {21, 22, 23});
  add("validation/cat", {31});
  add("validation/dog", {32});
  add("test/cat", {41});
  add("test/dog", {42});
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(Leaks, AreCountedForEachPartThatJudges) {
  add("labelled/cat", {1, 2, 3, 4});
  add("labelled/dog", {11, 12, 13, 14});
  add("unlabelled", {41, 22, 23});
  add("validation/cat", {31, 2});
  add("validation/dog", {32});
  add("test/cat", {41, 3});  // one of the pool, one of the labelled ones
  add("test/dog", {42, 43});
  EXPECT_THAT(found(), ElementsAre(HasSubstr("1 of 3 validation pictures are copies of some that"),
                                   HasSubstr("2 of 4 test pictures are copies of some that")));
}

TEST_F(Leaks, PicturesThatAreHeldOutMayHaveCopiesAmongTheOthers) {
  add("labelled/cat", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  add("labelled/dog", {11, 12, 13, 14, 15, 16, 17, 18, 19, 20});
  add("unlabelled", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});  // every cat
  EXPECT_THAT(found(), ElementsAre(HasSubstr("2 of 4 validation pictures"),
                                   HasSubstr("2 of 4 test pictures")));
}

}  // namespace
}  // namespace penumbra
