#include "penumbra/data/reading.h"

#include "tests/expect_error.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Problem kProblem{"a.bin", "byte 7", "cut short"};

TEST(Reading, AProblemIsSaidWithItsFileAndPlace) {
  EXPECT_EQ(to_string(kProblem), "a.bin, byte 7: cut short");
  EXPECT_EQ(to_string({"a.bin", "", "cut short"}), "a.bin: cut short");
}

TEST(Reading, BrokenDataStopsUnlessItIsInspected) {
  Reading reading;
  EXPECT_EQ(error_of([&] { reading.broken(kProblem); }), "a.bin, byte 7: cut short");
  EXPECT_TRUE(reading.problems.empty());
  reading.inspect = true;
  reading.broken(kProblem);
  reading.broken({"b.bin", "", "empty"});
  ASSERT_EQ(reading.problems.size(), 2U);
  EXPECT_EQ(reading.problems[1].file, "b.bin");
}

TEST(Reading, APictureThatIsLeftOutStopsOnlyWhereThatWasAsked) {
  Reading reading;
  reading.skipped(kProblem);
  EXPECT_EQ(reading.problems.size(), 1U);
  reading.strict = true;
  EXPECT_EQ(error_of([&] { reading.skipped(kProblem); }), "a.bin, byte 7: cut short");
  EXPECT_EQ(reading.problems.size(), 1U);
  reading.inspect = true;  // an inspection lists everything, strict or not
  reading.skipped(kProblem);
  EXPECT_EQ(reading.problems.size(), 2U);
}

TEST(Reading, OpensWhatIsThereAndSaysHowToGetWhatIsNot) {
  const TestFolder folder;
  Reading reading;
  EXPECT_EQ(reading.open(folder.write("a", "hello"))->text(), "hello");
  const auto none = (folder / "none").string();
  EXPECT_EQ(error_of([&] { reading.open(none); }), none + ": no such file");
  reading.remedy = "'penumbra data get svhn' fetches it";
  EXPECT_EQ(error_of([&] { reading.open(none); }),
            none + ": no such file; 'penumbra data get svhn' fetches it");
}

TEST(Reading, AFolderInPlaceOfAFileIsAProblemToo) {
  const TestFolder folder;
  Reading reading;
  EXPECT_THAT(error_of([&] { reading.open(folder.path()); }),
              HasSubstr(folder.path().string() + ": not a regular file"));
  reading.inspect = true;
  EXPECT_EQ(reading.open(folder.path()), nullptr);
  EXPECT_EQ(reading.open(folder / "none"), nullptr);
  ASSERT_EQ(reading.problems.size(), 2U);
  EXPECT_EQ(reading.problems[0].file, folder.path().string());
}

TEST(Reading, ClassNamesStandOneALine) {
  const TestFolder folder;
  Reading reading;
  EXPECT_THAT(reading.names(folder.write("a", "cat\ndog\n"), 2), ElementsAre("cat", "dog"));
  EXPECT_THAT(reading.names(folder.write("a", "cat\r\n\r\nsea lion\r\n\n"), 2),
              ElementsAre("cat", "sea lion"));
  EXPECT_THAT(reading.names(folder.write("a", "cat\ndog"), 2), ElementsAre("cat", "dog"));
}

TEST(Reading, AnotherNumberOfClassNamesIsAProblem) {
  const TestFolder folder;
  const auto file = folder.write("names.txt", "cat\ndog\n");
  Reading reading;
  EXPECT_EQ(error_of([&] { reading.names(file, 3); }),
            file.string() + ": 2 class names, expected 3, one a line");
  EXPECT_THAT(error_of([&] { reading.names(folder.write("empty", ""), 3); }),
              HasSubstr("0 class names, expected 3"));
  reading.inspect = true;
  EXPECT_THAT(reading.names(file, 3), ElementsAre("cat", "dog"));
  EXPECT_THAT(reading.names(folder / "none", 3), testing::IsEmpty());
  ASSERT_EQ(reading.problems.size(), 2U);
  EXPECT_THAT(reading.problems[1].what, HasSubstr("no such file"));
}

TEST(Reading, NotesAreKeptInTheirOrder) {
  Reading reading;
  reading.note("first");
  reading.note("second");
  EXPECT_THAT(reading.notes, ElementsAre("first", "second"));
  EXPECT_TRUE(reading.problems.empty());
}

TEST(Reading, AFileBehindLinksInACircleIsAProblemToo) {
  const TestFolder folder;
  std::filesystem::create_symlink("circle", folder / "circle");
  Reading reading;
  reading.inspect = true;
  EXPECT_EQ(reading.open(folder / "circle"), nullptr);
  ASSERT_EQ(reading.problems.size(), 1U);
  EXPECT_THAT(reading.problems[0].what, HasSubstr("Too many levels of symbolic links"));
}

}  // namespace
}  // namespace penumbra
