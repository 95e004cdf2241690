#include "penumbra/data/labels_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penumbra/core/error.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

std::map<std::string, std::string> read(std::string_view text) {
  const TestFolder folder;
  Reading reading;
  std::map<std::string, std::string> labels;
  for (const auto& [file, entry] : read_labels_file(folder.write("labels.csv", text), reading))
    labels[file] = entry.label;
  return labels;
}

std::string message(std::string_view text) {
  try {
    read(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "read without an error";
}

using Labels = std::map<std::string, std::string>;

TEST(LabelsFile, LineEndsQuotesMarksAndOtherColumnsAreFine) {
  const Labels expected{{"a.jpg", "cat"}, {"b, \"c\".jpg", "dog"}, {"ü/é.png", ""}};
  EXPECT_EQ(read("file,label\na.jpg,cat\n\"b, \"\"c\"\".jpg\",dog\nü/é.png,\n"), expected);
  EXPECT_EQ(read("file,label\r\na.jpg,cat\r\n\"b, \"\"c\"\".jpg\",dog\r\nü/é.png,\r\n"), expected);
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "label,who,file\ncat,me,./a.jpg\n\n dog , me, \"b, \"\"c\"\".jpg\" \n,,ü/é.png"),
            expected);
}

TEST(LabelsFile, AnotherDelimiterIsNamed) {
  EXPECT_THAT(message("file;label\na.jpg;cat\n"),
              HasSubstr("line 1: the columns are separated by ';', expected ','"));
  EXPECT_THAT(message("file\tlabel\na.jpg\tcat\n"), HasSubstr("separated by a tab, expected ','"));
}

TEST(LabelsFile, MissingColumnIsNamed) {
  EXPECT_THAT(message("file,class\na.jpg,cat\n"),
              HasSubstr("no column 'label'; it has 'file', 'class'"));
  EXPECT_THAT(message("a.jpg,cat\n"), HasSubstr("no column 'file'"));
  EXPECT_THAT(message(""), HasSubstr("the file is empty, expected the header 'file,label'"));
}

TEST(LabelsFile, WrongRowsAreNamedWithTheirLine) {
  EXPECT_THAT(message("file,label\na.jpg,cat\nb.jpg,dog\na.jpg,dog\n"),
              HasSubstr("line 4: 'a.jpg' was labelled before, in line 2"));
  EXPECT_THAT(message("file,label\na.jpg\n"), HasSubstr("line 2: 1 columns, the header has 2"));
  EXPECT_THAT(message("file,label\r\na.jpg,cat\r\na,b.jpg,cat\r\n"),
              HasSubstr("line 3: 3 columns"));
  EXPECT_THAT(message("file,label\na.jpg,\"cat\nb.jpg,dog\n"),
              HasSubstr("line 2: a quote is opened"));
}

TEST(LabelsFile, InspectingCollectsEveryProblem) {
  const TestFolder folder;
  Reading reading;
  reading.inspect = true;
  const auto labels = read_labels_file(
      folder.write("labels.csv", "file,label\na.jpg,cat\na.jpg,cat\nb.jpg\nc.jpg,dog\n"), reading);
  EXPECT_EQ(labels.size(), 2u);
  ASSERT_EQ(reading.problems.size(), 2u);
  EXPECT_EQ(reading.problems[0].where, "line 3");
  EXPECT_EQ(reading.problems[1].where, "line 4");
}

TEST(LabelsFile, BarsBetweenColumnsAreNamedToo) {
  EXPECT_THAT(
      message("file|label\na.jpg|cat\n"),
      HasSubstr("line 1: the columns are separated by '|', expected ','; save the table with "
                "commas, its header being 'file,label'"));
  // One column is no sign of another delimiter.
  EXPECT_THAT(message("file\na.jpg\n"), HasSubstr("no column 'label'; it has 'file'"));
}

TEST(LabelsFile, AHeaderAloneLabelsNothing) {
  EXPECT_TRUE(read("file,label\n").empty());
  EXPECT_TRUE(read("label,file").empty());
  EXPECT_TRUE(read("file,label\n\n\r\n\n").empty());
}

TEST(LabelsFile, NamesAreComparedAsPathsAre) {
  EXPECT_EQ(read("file,label\n./a//b.jpg,cat\nc/../d.jpg,dog\n"),
            (Labels{{"a/b.jpg", "cat"}, {"d.jpg", "dog"}}));
  EXPECT_THAT(message("file,label\na.jpg,cat\n./a.jpg,dog\n"),
              HasSubstr("line 3: 'a.jpg' was labelled before, in line 2; keep one of the two"));
}

TEST(LabelsFile, ThatIsNotThereIsNamed) {
  Reading reading;
  try {
    read_labels_file("/does/not/exist/labels.csv", reading);
    ADD_FAILURE() << "read what is not there";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot open /does/not/exist/labels.csv: No such file"));
  }
}

TEST(LabelsFile, LinesAreCountedAcrossFieldsOfSeveral) {
  EXPECT_THAT(message("file,label\n\"a\nb.jpg\",cat\nc.jpg\n"), HasSubstr("line 4: 1 columns"));
}

TEST(LabelsFile, InspectingGoesOnAfterAQuoteThatStaysOpen) {
  const TestFolder folder;
  Reading reading;
  reading.inspect = true;
  const auto labels =
      read_labels_file(folder.write("labels.csv", "file,label\na.jpg,cat\nb.jpg,\"dog\n"), reading);
  EXPECT_EQ(labels.size(), 1U);
  EXPECT_EQ(labels.at("a.jpg").line, 2);
  ASSERT_EQ(reading.problems.size(), 1U);
  EXPECT_EQ(reading.problems[0].what, "a quote is opened and never closed");
}

}  // namespace
}  // namespace penumbra
