#include "penumbra/data/folder_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penumbra/core/error.h"
#include "tests/test_folder.h"
#include "tests/unprivileged.h"

namespace penumbra {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A scan opens no picture, so that empty files will do.
class FolderLayoutTest : public testing::Test {
 protected:
  void add(std::initializer_list<const char*> names) {
    for (const auto* name : names) folder_.write(name, "");
  }
  FolderLayout scan(const std::filesystem::path& labels_file = {}) {
    return scan_folder(folder_.path(), labels_file, reading_);
  }
  std::string message() {
    try {
      scan();
    } catch (const Error& error) {
      return error.what();
    }
    return "scanned without an error";
  }
  // "name:label" of each file.
  static std::vector<std::string> shown(const std::vector<PictureFile>& files) {
    std::vector<std::string> texts;
    texts.reserve(files.size());
    for (const auto& file : files) texts.push_back(file.name + ":" + std::to_string(file.label));
    return texts;
  }

  TestFolder folder_;
  Reading reading_;
};

TEST_F(FolderLayoutTest, ClassFoldersAreSortedAndMayBeNested) {
  add({"dog/2.JPG", "dog/1.webp", "cat/deep/er/3.jpeg", "cat/1.png", "cat/notes.txt", "cat/.4.png",
       ".git/5.png"});
  const auto layout = scan();
  EXPECT_THAT(layout.classes, ElementsAre("cat", "dog"));
  EXPECT_THAT(shown(layout.parts[kTrain]),
              ElementsAre("cat/1.png:0", "cat/deep/er/3.jpeg:0", "dog/1.webp:1", "dog/2.JPG:1"));
  EXPECT_THAT(layout.parts[kTest], IsEmpty());
  EXPECT_THAT(reading_.notes, IsEmpty());
}

TEST_F(FolderLayoutTest, PartsMayBeSpeltInCapitals) {
  add({"Train/a/1.png", "Train/b/2.png", "TEST/a/3.png"});
  const auto layout = scan();
  EXPECT_THAT(layout.classes, ElementsAre("a", "b"));
  EXPECT_THAT(shown(layout.parts[kTest]), ElementsAre("TEST/a/3.png:0"));
}

TEST_F(FolderLayoutTest, LinksThatLeadNowhereAreCounted) {
  add({"a/1.png", "b/2.png"});
  std::filesystem::create_symlink("missing.png", folder_ / "a/3.png");
  std::filesystem::create_directory_symlink("missing", folder_ / "c");
  EXPECT_THAT(scan().classes, ElementsAre("a", "b"));
  EXPECT_THAT(reading_.notes, ElementsAre(HasSubstr("2 links in ")));
}

TEST_F(FolderLayoutTest, AClassThatCannotBeOpenedIsNotLeftOut) {
  add({"a/1.png", "b/2.png", "c/3.png"});
  std::filesystem::permissions(folder_ / "c", std::filesystem::perms::none);
  std::string said;
  {
    const Unprivileged nobody(folder_.path());
    said = message();
  }
  std::filesystem::permissions(folder_ / "c", std::filesystem::perms::owner_all);
  EXPECT_THAT(said, HasSubstr("cannot open the folder: Permission denied"));
}

TEST_F(FolderLayoutTest, WithoutLabelsEveryPictureCounts) {
  add({"1.png", "train/a/2.png", "test/b/3.png", "labels.csv"});
  const auto layout = scan_without_labels(folder_.path(), reading_);
  EXPECT_THAT(layout.classes, IsEmpty());
  EXPECT_THAT(shown(layout.parts[kTrain]),
              ElementsAre("1.png:-1", "test/b/3.png:-1", "train/a/2.png:-1"));
}

TEST_F(FolderLayoutTest, LabelledAndUnlabelledTrainTogether) {
  add({"labelled/a/1.png", "labelled/b/2.png", "unlabelled/3.png", "unlabelled/x/y/4.png",
       "validation/b/5.png", "test/a/6.png"});
  const auto layout = scan();
  EXPECT_THAT(layout.classes, ElementsAre("a", "b"));
  EXPECT_THAT(shown(layout.parts[kTrain]),
              ElementsAre("labelled/a/1.png:0", "labelled/b/2.png:1", "unlabelled/3.png:-1",
                          "unlabelled/x/y/4.png:-1"));
  EXPECT_THAT(shown(layout.parts[kValidation]), ElementsAre("validation/b/5.png:1"));
  EXPECT_THAT(shown(layout.parts[kTest]), ElementsAre("test/a/6.png:0"));
}

TEST_F(FolderLayoutTest, AmericanSpellingIsUnderstood) {
  add({"labeled/a/1.png", "labeled/b/2.png", "unlabeled/3.png"});
  EXPECT_THAT(scan().classes, ElementsAre("a", "b"));
}

TEST_F(FolderLayoutTest, ValIsTheTestSetWhereThereIsNoTest) {
  add({"train/a/1.png", "train/b/2.png", "val/a/3.png"});
  auto layout = scan();
  EXPECT_THAT(shown(layout.parts[kTest]), ElementsAre("val/a/3.png:0"));
  EXPECT_THAT(layout.parts[kValidation], IsEmpty());
  add({"test/b/4.png"});
  layout = scan();
  EXPECT_THAT(shown(layout.parts[kTest]), ElementsAre("test/b/4.png:1"));
  EXPECT_THAT(shown(layout.parts[kValidation]), ElementsAre("val/a/3.png:0"));
}

// Read as classes, the parts would be told apart, test pictures and all.
TEST_F(FolderLayoutTest, ValidIsAPartAndWhatHasNoPicturesBesideThePartsIsLeftOut) {
  add({"train/a/1.png", "train/b/2.png", "valid/a/3.png", "test/b/4.png", "runs/x/config.toml",
       "__MACOSX/._a"});
  auto layout = scan();
  EXPECT_THAT(layout.classes, ElementsAre("a", "b"));
  EXPECT_THAT(shown(layout.parts[kValidation]), ElementsAre("valid/a/3.png:0"));
  EXPECT_THAT(shown(layout.parts[kTest]), ElementsAre("test/b/4.png:1"));
  EXPECT_THAT(reading_.notes, ElementsAre(HasSubstr("__MACOSX holds no pictures and is left out"),
                                          HasSubstr("runs holds no pictures and is left out")));
  add({"more/5.png"});
  EXPECT_THAT(message(), HasSubstr("more has no place beside train/"));
}

TEST_F(FolderLayoutTest, PicturesOfNoClassAreCountedWhereverTheyLie) {
  add({"lost.jpg", "train/cat/1.jpg", "train/dog/2.jpg", "train/3.jpg", "train/4.png",
       "train/note.txt", "test/cat/5.jpg", "test/6.jpg", "test/.7.jpg"});
  scan();
  const auto path = [&](const char* name) { return (folder_ / name).lexically_normal().string(); };
  EXPECT_THAT(
      reading_.notes,
      ElementsAre(HasSubstr("1 picture directly in " + folder_.path().string() + " belongs"),
                  HasSubstr("2 pictures directly in " + path("train") + " belong"),
                  HasSubstr("1 picture directly in " + path("test") + " belongs")));
}

TEST_F(FolderLayoutTest, PicturesOfKindsThatAreNotReadAreCounted) {
  add({"cat/1.jpg", "cat/2.HEIC", "cat/3.gif", "dog/4.png", "dog/notes.txt", "dog/5.tiff",
       "dog/.6.bmp"});
  EXPECT_EQ(scan().parts[kTrain].size(), 2U);
  EXPECT_THAT(reading_.notes, ElementsAre(HasSubstr("3 pictures of other kinds")));
}

TEST_F(FolderLayoutTest, TrainMayBeAClass) {
  add({"train/1.png", "bus/2.png"});
  EXPECT_THAT(scan().classes, ElementsAre("bus", "train"));
}

TEST_F(FolderLayoutTest, TrainAloneIsAPartAlsoBesideWhatHasNoPictures) {
  add({"train/a/1.png", "train/b/2.png", "runs/x/report.html"});
  EXPECT_THAT(scan().classes, ElementsAre("a", "b"));
}

TEST_F(FolderLayoutTest, LabelsFileLabelsWhatItNames) {
  add({"1.png", "ü, 2.png", "3.png", "sub/4.png"});
  folder_.write("labels.csv", "file,label\r\n1.png,dog\r\n\"ü, 2.png\",cat\r\n3.png,\r\n");
  auto layout = scan();
  EXPECT_THAT(layout.classes, ElementsAre("cat", "dog"));
  EXPECT_THAT(shown(layout.parts[kTrain]),
              ElementsAre("1.png:1", "3.png:-1", "sub/4.png:-1", "ü, 2.png:0"));
  const TestFolder elsewhere;
  layout = scan(elsewhere.write("mine.csv", "file,label\n1.png,x\nsub/4.png,y\n"));
  EXPECT_THAT(layout.classes, ElementsAre("x", "y"));
}

TEST_F(FolderLayoutTest, LabelOfAnUnknownFileIsAnError) {
  add({"1.png", "2.png"});
  folder_.write("labels.csv", "file,label\n1.png,dog\n2.png,cat\n3.png,cat\n");
  EXPECT_THAT(message(), HasSubstr("labels.csv, line 4: no picture '3.png' in"));
}

TEST_F(FolderLayoutTest, EmptyFolderIsAnError) {
  EXPECT_THAT(message(), HasSubstr("no pictures (.jpg, .jpeg, .png, .webp)"));
  add({"a/notes.txt"});
  EXPECT_THAT(message(), HasSubstr("no pictures"));
  EXPECT_THAT(reading_.notes.at(0), HasSubstr("a holds no pictures and is left out"));
}

TEST_F(FolderLayoutTest, OneClassOnlyIsAnError) {
  add({"a/1.png", "a/2.png"});
  EXPECT_THAT(message(), HasSubstr("one class only, 'a'; expected two or more"));
}

TEST_F(FolderLayoutTest, PicturesThatNothingLabelsAreAnError) {
  add({"1.png", "2.png"});
  EXPECT_THAT(message(), HasSubstr("holds 2 pictures and nothing says their classes"));
}

TEST_F(FolderLayoutTest, UnlabelledAloneIsAnError) {
  add({"unlabelled/1.png"});
  EXPECT_THAT(message(), HasSubstr("no labelled/ beside it"));
}

TEST_F(FolderLayoutTest, FolderOutOfPlaceIsAnError) {
  add({"labelled/a/1.png", "labelled/b/1.png", "more/c/1.png"});
  EXPECT_THAT(message(), HasSubstr("more has no place beside labelled/"));
}

TEST_F(FolderLayoutTest, TestClassThatTrainingLacksIsAnError) {
  add({"train/a/1.png", "train/b/1.png", "test/c/1.png"});
  EXPECT_THAT(message(), HasSubstr("test/c: a class that the training pictures do not have"));
}

TEST_F(FolderLayoutTest, MissingFolderIsAnError) {
  EXPECT_THROW(scan_folder(folder_.path() / "none", {}, reading_), Error);
}

TEST_F(FolderLayoutTest, LinksInACircleEnd) {
  add({"a/1.png", "b/2.png"});
  std::filesystem::create_directory_symlink(folder_.path(), folder_.path() / "a" / "up");
  std::filesystem::create_directory_symlink(folder_.path() / "a", folder_.path() / "b" / "a");
  std::filesystem::create_symlink("nowhere.png", folder_.path() / "a" / "broken.png");
  const auto layout = scan();
  EXPECT_THAT(layout.classes, ElementsAre("a", "b"));
  EXPECT_LE(layout.parts[kTrain].size(), 6u);
}

TEST_F(FolderLayoutTest, MissingFolderIsNamed) {
  const auto none = folder_ / "none";
  try {
    scan_folder(none, {}, reading_);
    ADD_FAILURE() << "scanned a folder that is not there";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), "no folder " + none.string() + "; expected a folder of pictures");
  }
  const auto file = folder_.write("file", "");
  EXPECT_THROW(scan_folder(file, {}, reading_), Error);
}

TEST_F(FolderLayoutTest, LabelsFileThatLabelsNothingIsAnError) {
  add({"1.png", "2.png"});
  folder_.write("labels.csv", "file,label\n1.png,\n2.png,\n");
  EXPECT_THAT(message(), HasSubstr(folder_.path().string() + ": no picture has a label; expected"));
  folder_.write("labels.csv", "file,label\n1.png,cat\n2.png,\n");
  EXPECT_THAT(message(), HasSubstr("one class only, 'cat'; expected two or more"));
}

TEST_F(FolderLayoutTest, OwnLabelsFileCountsMoreThanClassFolders) {
  add({"a/1.png", "b/2.png"});
  folder_.write("labels.csv", "file,label\na/1.png,x\nb/2.png,y\n");
  EXPECT_THAT(scan().classes, ElementsAre("x", "y"));
  const TestFolder elsewhere;  // and one that was asked for counts more than that
  const auto mine = elsewhere.write("mine.csv", "file,label\na/1.png,v\nb/2.png,w\n");
  EXPECT_THAT(scan(mine).classes, ElementsAre("v", "w"));
}

TEST_F(FolderLayoutTest, InspectingGoesOnAfterEveryProblem) {
  reading_.inspect = true;
  add({"train/a/1.png", "test/a/2.png", "test/zebra/3.png"});
  const auto layout = scan();
  EXPECT_THAT(shown(layout.parts[kTest]), ElementsAre("test/a/2.png:0"));
  ASSERT_EQ(reading_.problems.size(), 2U);
  EXPECT_THAT(to_string(reading_.problems[0]), HasSubstr("test/zebra: a class that the training"));
  EXPECT_THAT(reading_.problems[1].what, HasSubstr("one class only, 'a'"));
}

TEST_F(FolderLayoutTest, InspectingListsEveryLabelOfAPictureThatIsNotThere) {
  reading_.inspect = true;
  add({"1.png", "2.png"});
  folder_.write("labels.csv", "file,label\n1.png,a\n2.png,b\n3.png,a\n4.png,b\n");
  EXPECT_EQ(scan().parts[kTrain].size(), 2U);
  ASSERT_EQ(reading_.problems.size(), 2U);
  EXPECT_EQ(reading_.problems[0].where, "line 4");
  EXPECT_EQ(reading_.problems[1].where, "line 5");
  EXPECT_THAT(reading_.problems[0].what, HasSubstr("files are named relative to that folder"));
}

TEST_F(FolderLayoutTest, ValidationMayBeSpeltInFullBesideTrain) {
  add({"train/a/1.png", "train/b/2.png", "validation/a/3.png", "test/b/4.png"});
  const auto layout = scan();
  EXPECT_THAT(shown(layout.parts[kValidation]), ElementsAre("validation/a/3.png:0"));
  EXPECT_THAT(shown(layout.parts[kTest]), ElementsAre("test/b/4.png:1"));
}

TEST_F(FolderLayoutTest, BesideLabelledValIsForChoosingAndNotTheTestSet) {
  add({"labelled/a/1.png", "labelled/b/2.png", "val/a/3.png"});
  const auto layout = scan();
  EXPECT_THAT(shown(layout.parts[kValidation]), ElementsAre("val/a/3.png:0"));
  EXPECT_THAT(layout.parts[kTest], IsEmpty());
}

TEST_F(FolderLayoutTest, UnlabelledMayStandBesideTrain) {
  add({"train/a/1.png", "train/b/2.png", "unlabelled/3.png"});
  EXPECT_THAT(shown(scan().parts[kTrain]),
              ElementsAre("train/a/1.png:0", "train/b/2.png:1", "unlabelled/3.png:-1"));
}

TEST_F(FolderLayoutTest, TestAloneIsAClassLikeAnyOther) {
  add({"test/1.png", "bus/2.png"});
  EXPECT_THAT(scan().classes, ElementsAre("bus", "test"));
  EXPECT_THAT(scan().parts[kTest], IsEmpty());
}

TEST_F(FolderLayoutTest, AnEmptyClassOfTheTestSetIsLeftOut) {
  add({"train/a/1.png", "train/b/2.png", "test/a/3.png", "test/b/note.txt"});
  EXPECT_THAT(shown(scan().parts[kTest]), ElementsAre("test/a/3.png:0"));
  EXPECT_THAT(reading_.notes, ElementsAre(HasSubstr("test/b holds no pictures and is left out")));
}

TEST_F(FolderLayoutTest, TrainWithoutPicturesIsAnErrorAlsoWhenInspecting) {
  add({"train/a/note.txt", "test/a/1.png"});
  reading_.inspect = true;
  EXPECT_THAT(message(), HasSubstr("to train with in " + folder_.path().string()));
}

TEST_F(FolderLayoutTest, BrokenLabelsFileIsNamedWithItsLine) {
  add({"1.png", "2.png"});
  folder_.write("labels.csv", "file,label\n1.png,a\n1.png,b\n");
  EXPECT_THAT(message(), HasSubstr("labels.csv, line 3: '1.png' was labelled before"));
}

TEST_F(FolderLayoutTest, LabelsFileThatCannotBeOpenedIsNotPassedOver) {
  add({"a/1.png", "b/2.png"});
  std::filesystem::create_symlink("labels.csv", folder_ / "labels.csv");
  EXPECT_THAT(message(), HasSubstr("labels.csv: Too many levels of symbolic links"));
}

TEST_F(FolderLayoutTest, EachClassThatIsNotUtf8IsAProblem) {
  reading_.inspect = true;
  add({"caf\xe9/1.png", "caf\xc3\xa9/2.png", "M\xfcnchen/3.png"});
  EXPECT_EQ(scan().classes.size(), 3U);
  ASSERT_EQ(reading_.problems.size(), 2U);
  EXPECT_EQ(reading_.problems[0].file, (folder_ / "M\xfcnchen").string());
  EXPECT_EQ(reading_.problems[1].file, (folder_ / "caf\xe9").string());
  EXPECT_EQ(reading_.problems[1].what,
            "the name of this class is not UTF-8, which a model's file needs; rename the folder");
  reading_.inspect = false;
  EXPECT_THAT(message(), HasSubstr("is not UTF-8"));
}

TEST_F(FolderLayoutTest, ATableThatIsNotUtf8IsNamedWithItsLines) {
  reading_.inspect = true;
  add({"1.png", "2.png", "3.png", "4.png"});
  folder_.write("labels.csv", "file,label\n1.png,dog\n2.png,caf\xe9\n3.png,\xfc\n4.png,caf\xe9\n");
  EXPECT_EQ(scan().classes.size(), 3U);
  ASSERT_EQ(reading_.problems.size(), 2U);
  EXPECT_EQ(reading_.problems[0].where, "line 3");
  EXPECT_EQ(
      reading_.problems[0].what,
      "the class 'caf\xe9' is not UTF-8, which a model's file needs; save the table as UTF-8");
  EXPECT_EQ(reading_.problems[1].where, "line 4");
}

TEST_F(FolderLayoutTest, OddEntriesStopNothing) {
  add({"a/1.png", "b/2.png"});
  std::filesystem::create_symlink("circle.png", folder_ / "circle.png");
  std::filesystem::create_symlink("circle", folder_ / "circle");
  const TestFolder links;  // from the fortieth on they cannot be followed from the folder itself
  for (int i = 0; i < 50; ++i) std::filesystem::create_directory(links / std::to_string(i));
  for (int i = 0; i < 49; ++i)
    std::filesystem::create_directory_symlink(links / std::to_string(i + 1),
                                              links / (std::to_string(i) + "/next"));
  std::filesystem::create_directory_symlink(links / "0", folder_ / "b/links");
  const auto layout = scan();
  EXPECT_THAT(shown(layout.parts[kTrain]), ElementsAre("a/1.png:0", "b/2.png:1"));
  ASSERT_EQ(reading_.problems.size(), 1U);
  EXPECT_THAT(to_string(reading_.problems[0]),
              HasSubstr("next: cannot open the folder: Too many levels of symbolic links"));
}

}  // namespace
}  // namespace penumbra
