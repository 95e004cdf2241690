#include "penumbra/data/decode_files.h"

#include <sys/stat.h>

#include <map>
#include <mutex>

#include "penumbra/data/picture.h"
#include "tests/expect_error.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class DecodeFiles : public testing::Test {
 protected:
  // A grey picture, all of it one level.
  void add(Part part, const std::string& name, uint8_t level, int width = 4, int height = 4) {
    const auto rows = static_cast<std::size_t>(height), columns = static_cast<std::size_t>(width);
    encode_png(folder_ / name, {height, width, 1, std::vector<uint8_t>(rows * columns, level)});
    layout_.parts[part].push_back({name});
  }
  void add_broken(Part part, const std::string& name) {
    folder_.write(name, "no picture");
    layout_.parts[part].push_back({name});
  }
  std::vector<Problem> decode_to(const PictureShape& shape, Fit fit = Fit::kCrop) {
    return decode_files(folder_.path(), shape, fit, layout_, reading_,
                        [&](std::size_t slot, const uint8_t* pixels, std::size_t count) {
                          const std::lock_guard lock(mutex_);
                          for (std::size_t i = 0; i < count; ++i)
                            slots_[slot + i] = pixels[i * shape.bytes()];
                        });
  }
  // The first value of each slot, up to the last that still counts.
  std::vector<int> kept() const {
    std::vector<int> levels;
    for (const auto& part : layout_.parts)
      for (std::size_t i = 0; i < part.size(); ++i) levels.push_back(slots_.at(levels.size()));
    return levels;
  }

  TestFolder folder_;
  FolderLayout layout_;
  Reading reading_;
  std::map<std::size_t, int> slots_;
  std::mutex mutex_;
};

TEST_F(DecodeFiles, PartsFollowEachOther) {
  add(kTrain, "1.png", 10);
  add(kTrain, "2.png", 20);
  add(kValidation, "3.png", 30);
  add(kTest, "4.png", 40);
  for (const int threads : {1, 3}) {
    reading_.threads = threads;
    slots_.clear();
    EXPECT_THAT(decode_to({4, 4, 1}), IsEmpty());
    EXPECT_THAT(kept(), ElementsAre(10, 20, 30, 40));
  }
}

TEST_F(DecodeFiles, BrokenPicturesLeaveNoGapInAnyPart) {
  add_broken(kTrain, "0.png");
  add(kTrain, "1.png", 10);
  add_broken(kTrain, "2.png");
  add_broken(kValidation, "3.png");
  add(kTest, "4.png", 40);
  const auto skipped = decode_to({4, 4, 1});
  EXPECT_THAT(kept(), ElementsAre(10, 40));
  EXPECT_EQ(layout_.parts[kTrain].size(), 1U);
  EXPECT_EQ(layout_.parts[kTrain][0].name, "1.png");
  EXPECT_THAT(layout_.parts[kValidation], IsEmpty());
  ASSERT_EQ(skipped.size(), 3U);
  EXPECT_EQ(skipped[1].file, (folder_ / "2.png").string());
  EXPECT_THAT(skipped[1].what, HasSubstr("it starts with 'no picture'"));
  EXPECT_EQ(reading_.problems.size(), 3U);
  for (const auto& problem : skipped) EXPECT_FALSE(problem.passing) << problem.file;
}

TEST_F(DecodeFiles, NoGapIsLeftAcrossManyPicturesToo) {
  reading_.threads = 2;
  std::vector<int> expected;
  for (int i = 0; i < 200; ++i) {
    const auto name = std::to_string(i) + ".png";
    if (i % 7 == 3) {
      add_broken(kTrain, name);
    } else {
      add(kTrain, name, static_cast<uint8_t>(i));
      expected.push_back(i);
    }
  }
  // A picture of a quarter of a megabyte: groups of one, and a chunk holds only some of them.
  decode_to({300, 300, 3});
  EXPECT_EQ(kept(), expected);
}

TEST_F(DecodeFiles, AFileThatIsGoneIsSkippedAndNamed) {
  add(kTrain, "1.png", 10);
  layout_.parts[kTrain].push_back({"gone.png"});
  const auto skipped = decode_to({4, 4, 1});
  ASSERT_EQ(skipped.size(), 1U);
  EXPECT_EQ(skipped[0].what, "cannot open the file: No such file or directory");
  EXPECT_TRUE(skipped[0].passing);
  EXPECT_THAT(kept(), ElementsAre(10));
}

TEST_F(DecodeFiles, AStrictReadingStopsAtTheFirstBrokenPicture) {
  add_broken(kTrain, "1.png");
  reading_.strict = true;
  EXPECT_THAT(error_of([&] { decode_to({4, 4, 1}); }), HasSubstr("1.png: not a JPEG, PNG or WebP"));
}

TEST_F(DecodeFiles, OnlySquaresAreResized) {
  add(kTrain, "1.png", 10, /*width=*/9, /*height=*/6);
  add(kTrain, "2.png", 20, /*width=*/5, /*height=*/3);
  const auto skipped = decode_to({3, 5, 1});
  EXPECT_THAT(kept(), ElementsAre(20));
  ASSERT_EQ(skipped.size(), 1U);
  EXPECT_EQ(skipped[0].what,
            "a picture of 9 x 6 pixels, expected 5 x 3 as all others; it changed while the folder "
            "was read");
  EXPECT_TRUE(skipped[0].passing);
}

TEST_F(DecodeFiles, CommonShapeIsTheOneThatAllReadableShare) {
  add(kTrain, "1.png", 1, /*width=*/9, /*height=*/6);
  add(kTest, "2.png", 2, /*width=*/9, /*height=*/6);
  add_broken(kTrain, "3.png");
  const auto shape = common_shape(folder_.path(), layout_, /*largest=*/9, /*threads=*/2);
  EXPECT_EQ(shape.height, 6);
  EXPECT_EQ(shape.width, 9);
  EXPECT_EQ(common_shape(folder_.path(), layout_, /*largest=*/8, 1).height, 0);  // 9 is larger
  add(kValidation, "4.png", 3, /*width=*/6, /*height=*/9);
  EXPECT_EQ(common_shape(folder_.path(), layout_, 256, 1).height, 0);
}

TEST_F(DecodeFiles, NothingThatCanBeReadHasNoCommonShape) {
  EXPECT_EQ(common_shape(folder_.path(), layout_, 256, 2).height, 0);
  add_broken(kTrain, "1.png");
  EXPECT_EQ(common_shape(folder_.path(), layout_, 256, 2).height, 0);
}

TEST_F(DecodeFiles, ALayoutWithoutPicturesIsDoneAtOnce) {
  int64_t told = -1;
  reading_.progress = [&](int64_t done, int64_t) { told = done; };
  EXPECT_THAT(decode_to({4, 4, 1}), IsEmpty());
  EXPECT_EQ(told, 0);
}

TEST_F(DecodeFiles, APipeIsNotWaitedFor) {
  add(kTrain, "1.png", 10);
  ASSERT_EQ(mkfifo((folder_ / "pipe.png").c_str(), 0600), 0);
  layout_.parts[kTrain].push_back({"pipe.png"});
  EXPECT_EQ(common_shape(folder_.path(), layout_, 256, 1).height, 4);
  const auto skipped = decode_to({4, 4, 1});
  ASSERT_EQ(skipped.size(), 1U);
  EXPECT_EQ(skipped[0].what, "not a regular file");
  EXPECT_THAT(kept(), ElementsAre(10));
}

// The speed of a network device that has none: 4096 bytes, none of which can be read.
TEST_F(DecodeFiles, AFailureToReadIsNotTheEndOfTheFile) {
  const std::string unreadable = "/sys/class/net/lo/speed";
  if (!std::filesystem::exists(unreadable)) GTEST_SKIP() << "there is no " << unreadable;
  layout_.parts[kTrain].push_back({unreadable});
  const auto skipped = decode_to({4, 4, 1});
  ASSERT_EQ(skipped.size(), 1U);
  EXPECT_EQ(skipped[0].what, "cannot read the file: Invalid argument");
  EXPECT_TRUE(skipped[0].passing);
}

TEST_F(DecodeFiles, ACommonShapeThatMayBeAnotherTheNextTimeSaysSo) {
  add(kTrain, "1.png", 1);
  add_broken(kTrain, "2.png");
  bool passing = false;
  EXPECT_EQ(common_shape(folder_.path(), layout_, 256, 2, &passing).height, 4);
  EXPECT_FALSE(passing);
  layout_.parts[kTrain].push_back({"gone.png"});
  EXPECT_EQ(common_shape(folder_.path(), layout_, 256, 2, &passing).height, 4);
  EXPECT_TRUE(passing);
}

}  // namespace
}  // namespace penumbra
