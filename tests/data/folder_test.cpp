#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "penumbra/core/signals.h"
#include "penumbra/data/dataset.h"
#include "penumbra/data/picture.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class FolderTest : public testing::Test {
 protected:
  FolderTest() {
    reading.threads = 2;
    reading.cache = cache.path() / "new";
  }

  // A plain picture of one grey level.
  void add(const std::string& name, uint8_t level, int width = 8, int height = 8) {
    fs::create_directories((folder.path() / name).parent_path());
    encode_png(
        folder.path() / name,
        {height, width, 1, std::vector<uint8_t>(static_cast<std::size_t>(width * height), level)});
  }
  void add_two_classes() {
    for (uint8_t i = 0; i < 20; ++i) {
      const auto number = std::string(i < 10 ? "0" : "").append(std::to_string(i));
      add((i % 2 == 0 ? "a/" : "b/") + number + ".png", i);
    }
  }
  std::unique_ptr<Dataset> open(Options options = {}) {
    options.set("path", folder.path().string());
    return make_dataset("folder", options);
  }
  std::vector<int> levels(const Images& images) {
    std::vector<int> found;
    for (int64_t i = 0; i < images.size(); ++i)
      found.push_back(images.pixels[i][0][0][0].item<int>());
    return found;
  }
  std::vector<std::string> cached() {
    std::vector<std::string> names;
    if (fs::is_directory(reading.cache))
      for (const auto& entry : fs::directory_iterator(reading.cache))
        names.push_back(entry.path().filename());
    return names;
  }

  TestFolder folder, cache;
  Reading reading;
};

TEST_F(FolderTest, KeepsTheOwnSizeLabelsAndOrder) {
  add_two_classes();
  const auto dataset = open();
  EXPECT_THAT(dataset->classes(reading), ElementsAre("a", "b"));
  const auto images = dataset->train(reading);
  EXPECT_EQ(images.pixels.sizes(), torch::IntArrayRef({20, 8, 8, 3}));
  EXPECT_THAT(levels(images),
              ElementsAre(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19));
  EXPECT_TRUE(images.labels.equal(torch::arange(20, torch::kLong).ge(10).to(torch::kLong)));
  EXPECT_EQ(images.files[19], "b/19.png");
  EXPECT_EQ(dataset->test(reading).size(), 0);
  EXPECT_EQ(dataset->validation(reading).size(), 0);
  EXPECT_THAT(reading.problems, IsEmpty());
}

TEST_F(FolderTest, SizeAndChannelsAreAsAsked) {
  add("a/1.png", 1, 30, 20);
  add("b/2.png", 2, 10, 10);
  EXPECT_EQ(open()->train(reading).pixels.sizes(), torch::IntArrayRef({2, 64, 64, 3}));
  EXPECT_EQ(open({{"size", "12"}, {"channels", "1"}})->train(reading).pixels.sizes(),
            torch::IntArrayRef({2, 12, 12, 1}));
  add("b/2.png", 2, 30, 20);
  EXPECT_EQ(open()->train(reading).pixels.sizes(), torch::IntArrayRef({2, 20, 30, 3}));
  add("a/1.png", 1, 300, 20);
  add("b/2.png", 2, 300, 20);
  EXPECT_EQ(open()->train(reading).pixels.sizes(), torch::IntArrayRef({2, 64, 64, 3}));
}

TEST_F(FolderTest, FitCropsOrStretches) {
  add("b/2.png", 0);
  fs::create_directories(folder.path() / "a");
  Picture halves{10, 30, 1, std::vector<uint8_t>(300)};  // black but for the left third
  for (std::size_t i = 0; i < 300; ++i) halves.pixels[i] = i % 30 < 10 ? 255 : 0;
  encode_png(folder.path() / "a" / "1.png", halves);
  const auto crop = open({{"size", "10"}})->train(reading).pixels[0];
  const auto stretch = open({{"size", "10"}, {"fit", "stretch"}})->train(reading).pixels[0];
  EXPECT_EQ(crop.select(1, 5).max().item<int>(), 0);
  EXPECT_EQ(crop.to(torch::kLong).sum().item<int64_t>(), 0);
  EXPECT_EQ(stretch.select(1, 1).min().item<int>(), 255);
}

TEST_F(FolderTest, SecondReadingComesFromTheCacheWithTheSameContent) {
  add_two_classes();
  folder.write("a/bad.jpg", "hello");
  const auto first = open()->train(reading);
  ASSERT_THAT(cached(), SizeIs(1));
  const auto time = fs::last_write_time(reading.cache / cached()[0]);
  Reading again;
  again.cache = reading.cache;
  again.progress = [](int64_t, int64_t) { ADD_FAILURE() << "decoded again"; };
  const auto second = open()->train(again);
  EXPECT_TRUE(second.pixels.equal(first.pixels));
  EXPECT_TRUE(second.labels.equal(first.labels));
  EXPECT_EQ(second.files[3], first.files[3]);
  ASSERT_THAT(again.problems, SizeIs(1));  // what was skipped is said again
  EXPECT_EQ(to_string(again.problems[0]), to_string(reading.problems[0]));
  EXPECT_EQ(fs::last_write_time(reading.cache / cached()[0]), time);
}

TEST_F(FolderTest, CacheNoticesEveryChangeOfThePictures) {
  add_two_classes();
  open()->train(reading);
  add("a/04.png", 200);  // changed
  EXPECT_THAT(levels(open()->train(reading)), testing::Contains(200));
  add("a/new.png", 201);  // added
  EXPECT_EQ(open()->train(reading).size(), 21);
  fs::rename(folder.path() / "a" / "new.png", folder.path() / "b" / "new.png");  // relabelled
  EXPECT_EQ(open()->train(reading).labels[20].item<int64_t>(), 1);
  fs::rename(folder.path() / "b" / "new.png", folder.path() / "b" / "newer.png");  // renamed
  EXPECT_EQ(open()->train(reading).files[20], "b/newer.png");
  fs::remove(folder.path() / "b" / "newer.png");  // removed
  EXPECT_EQ(open()->train(reading).size(), 20);
  EXPECT_THAT(cached(), SizeIs(1));
}

TEST_F(FolderTest, WhatAKilledProcessLeftInTheCacheIsRemovedAfterADay) {
  add_two_classes();
  fs::create_directories(reading.cache);
  const auto old = reading.cache / "folder-0.packed.tmp-1-0", fresh = reading.cache / "x.tmp-2-0";
  for (const auto& file : {old, fresh}) write_file(file, "half");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(30));
  open()->train(reading);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(fresh));
  // Also where everything is in the cache.
  fs::last_write_time(fresh, fs::file_time_type::clock::now() - std::chrono::hours(30));
  open()->train(reading);
  EXPECT_THAT(cached(), SizeIs(1));
}

TEST_F(FolderTest, WhatCouldNotBeReadThisTimeIsReadTheNextTime) {
  add_two_classes();
  const auto picture = folder / "b/19.png", aside = folder / "aside";
  reading.threads = 1;
  reading.progress = [&](int64_t done, int64_t total) {  // after the first picture, and at the end
    if (done < total)
      fs::rename(picture, aside);
    else
      fs::rename(aside, picture);
  };
  const auto first = open()->train(reading);
  EXPECT_EQ(first.size(), 19);
  ASSERT_THAT(reading.problems, SizeIs(1));
  EXPECT_THAT(to_string(reading.problems[0]), HasSubstr("b/19.png: cannot open the file: No such"));

  Reading again;
  again.cache = reading.cache;
  EXPECT_EQ(open()->train(again).size(), 20);
  EXPECT_THAT(again.problems, IsEmpty());
  EXPECT_THAT(cached(), SizeIs(1));
  again.progress = [](int64_t, int64_t) { ADD_FAILURE() << "decoded again"; };
  EXPECT_EQ(open()->train(again).size(), 20);
  EXPECT_THAT(levels(first), SizeIs(19));  // what is mapped stays as it was
}

TEST_F(FolderTest, TablesOfTheSameNameInTwoPlacesHaveACacheEach) {
  add("1.png", 1);
  add("2.png", 2);
  const TestFolder one, other;
  one.write("mine.csv", "file,label\n1.png,a\n2.png,b\n");
  other.write("mine.csv", "file,label\n1.png,b\n2.png,a\n");
  const auto before = fs::current_path();
  for (const auto* place : {&one, &other}) {
    fs::current_path(place->path());
    open({{"labels_file", "mine.csv"}})->train(reading);
    open({{"labels_file", (*place / "mine.csv").string()}})->train(reading);  // the same table
  }
  fs::current_path(before);
  EXPECT_THAT(cached(), SizeIs(2));
}

TEST_F(FolderTest, DamagedCacheIsWrittenAnew) {
  add_two_classes();
  const auto first = open()->train(reading);
  const auto file = reading.cache / cached().at(0);
  fs::resize_file(file, fs::file_size(file) / 2);
  // A new file takes its place: `first` must not lose its pages, so it is not looked at again.
  EXPECT_EQ(open()->train(reading).size(), 20);
  write_file(file, "rubbish");
  EXPECT_THAT(levels(open()->train(reading)), SizeIs(20));
}

TEST_F(FolderTest, UnreadablePicturesAreSkippedAndNamed) {
  add_two_classes();
  add("a/zz.png", 99);
  const auto whole = read_file(folder.path() / "a" / "zz.png");
  folder.write("a/0cut.png", whole.substr(0, whole.size() - 20));
  folder.write("b/05text.jpg", "this is no picture");
  folder.write("b/zzz.webp", "");
  const auto dataset = open({{"size", "8"}});
  const auto images = dataset->train(reading);
  EXPECT_THAT(levels(images), ElementsAre(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 99, 1, 3, 5, 7, 9, 11,
                                          13, 15, 17, 19));
  EXPECT_EQ(images.labels.sum().item<int64_t>(), 10);
  EXPECT_EQ(images.files[10], "a/zz.png");
  ASSERT_THAT(reading.problems, SizeIs(3));
  EXPECT_THAT(to_string(reading.problems[0]), HasSubstr("a/0cut.png: the PNG is broken or cut"));
  EXPECT_THAT(to_string(reading.problems[1]), HasSubstr("b/05text.jpg: not a JPEG, PNG or WebP"));
  EXPECT_THAT(to_string(reading.problems[2]), HasSubstr("b/zzz.webp: the file is empty"));

  Reading in_memory;
  EXPECT_TRUE(open({{"size", "8"}})->train(in_memory).pixels.equal(images.pixels));
  EXPECT_THAT(in_memory.problems, SizeIs(3));
  // Slots that stay empty must not upset a file whose tables are smaller than a picture.
  EXPECT_EQ(open({{"size", "200"}})->train(reading).size(), 21);
  reading.strict = true;
  EXPECT_THROW(open({{"size", "8"}})->train(reading), Error);
}

TEST_F(FolderTest, AFileThatIsTooLargeForAPictureIsSkippedUnread) {
  add_two_classes();
  folder.write("a/huge.png", "\x89PNG");
  fs::resize_file(folder / "a/huge.png", std::uintmax_t{100} << 30);  // a hole, it takes no room
  EXPECT_EQ(open({{"size", "8"}})->train(reading).size(), 20);
  ASSERT_THAT(reading.problems, SizeIs(1));
  EXPECT_THAT(reading.problems[0].what, HasSubstr("more than the 536870912 that are read"));
}

TEST_F(FolderTest, LargePicturesOfOneSizeAreMadeSmall) {
  for (const char* name : {"a/1.png", "b/2.png"}) add(name, 7, /*width=*/300, /*height=*/300);
  const auto images = open()->train(reading);
  EXPECT_EQ(images.height(), 64);
  EXPECT_EQ(images.width(), 64);
}

TEST_F(FolderTest, NoReadablePictureIsAnError) {
  folder.write("a/1.jpg", "text");
  folder.write("b/2.jpg", "text");
  try {
    open()->train(reading);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("none of the training pictures"));
    EXPECT_THAT(error.what(), HasSubstr("a/1.jpg: not a JPEG"));
  }
  EXPECT_THAT(cached(), IsEmpty());
}

TEST_F(FolderTest, PartsKeepTheirOwnPictures) {
  for (const std::string part : {"train/", "val/", "test/"}) {
    add(part + "a/1.png", static_cast<uint8_t>(part[0]));
    add(part + "b/2.png", static_cast<uint8_t>(part[0]));
  }
  folder.write("train/a/0.png", "broken");
  for (const bool keep : {true, false}) {
    if (!keep) reading.cache.clear();
    const auto dataset = open();
    EXPECT_THAT(levels(dataset->train(reading)), ElementsAre('t', 't'));
    EXPECT_THAT(levels(dataset->validation(reading)), ElementsAre('v', 'v'));
    EXPECT_THAT(levels(dataset->test(reading)), ElementsAre('t', 't'));
    EXPECT_EQ(dataset->validation(reading).files[1], "val/b/2.png");
    EXPECT_THAT(dataset->classes(reading), ElementsAre("a", "b"));
  }
}

TEST_F(FolderTest, ReadOnlyCacheFolderIsSaidAndDoneWithout) {
  add_two_classes();
  reading.cache = cache.write("file", "not a folder") / "cache";  // binds root too
  EXPECT_EQ(open()->train(reading).size(), 20);
  ASSERT_THAT(reading.notes, SizeIs(1));
  EXPECT_THAT(reading.notes[0],
              HasSubstr("kept in memory and not for the next time: cannot write"));
}

// Files may not grow past a limit while it lives: the disk is full, as far as write() can tell.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit old_{};
};

TEST_F(FolderTest, FullDiskIsAnErrorAndLeavesNoHalfFile) {
  add_two_classes();
  for (const rlim_t bytes : {6000, 7900}) {  // among the pixels, and in the tables behind them
    const FullDisk full(bytes);
    try {
      open()->train(reading);
      ADD_FAILURE() << "wrote past " << bytes;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("cannot write " + reading.cache.string()));
    }
    EXPECT_THAT(cached(), IsEmpty());
  }
  EXPECT_EQ(open()->train(reading).size(), 20);
}

TEST_F(FolderTest, ProgressNeverGoesBackAndEndsAtTheTotal) {
  for (int i = 0; i < 150; ++i)
    add((i % 2 == 0 ? "a/" : "b/") + std::to_string(i) + ".png", 0, 1, 1);
  int64_t last = 0;
  reading.progress = [&](int64_t done, int64_t total) {
    EXPECT_GE(done, last);
    EXPECT_EQ(total, 150);
    last = done;
  };
  open()->train(reading);
  EXPECT_EQ(last, 150);
}

TEST_F(FolderTest, InterruptionStopsTheReadingAndLeavesNothing) {
  add_two_classes();
  {
    const InterruptScope scope;
    std::raise(SIGINT);
    try {
      open()->train(reading);
      ADD_FAILURE() << "read to the end";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("interrupted while reading"));
    }
  }
  EXPECT_THAT(cached(), IsEmpty());
  const InterruptScope forgets;  // a new one starts without a request
  EXPECT_EQ(open()->train(reading).size(), 20);
}

TEST_F(FolderTest, EveryPictureOfARealFolderIsRead) {
  const char* data = std::getenv("PENUMBRA_TEST_DATA");
  if (data == nullptr) GTEST_SKIP() << "set PENUMBRA_TEST_DATA to a folder with flowers.tar";
  const auto command =
      "tar -xf '" + std::string(data) + "/flowers.tar' -C '" + folder.path().string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  Options options{{"path", (folder.path() / "flowers").string()}};
  const auto dataset = make_dataset("folder", options);
  EXPECT_THAT(dataset->classes(reading), SizeIs(5));
  const auto images = dataset->train(reading);
  EXPECT_EQ(images.pixels.sizes(), torch::IntArrayRef({4317, 128, 128, 3}));
  for (const auto& problem : reading.problems) ADD_FAILURE() << to_string(problem);
}

TEST(Folder, WithoutAPathIsAnError) {
  Options none;
  Reading reading;
  const auto dataset = make_dataset("folder", none);
  EXPECT_THROW(dataset->train(reading), Error);
  EXPECT_THROW(dataset->classes(reading), Error);
}

}  // namespace
}  // namespace penumbra
