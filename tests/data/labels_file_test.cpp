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

}  // namespace
}  // namespace penumbra
