#include "penumbra/data/split_file.h"

#include "tests/expect_error.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

Images pictures(int64_t n, const std::vector<std::string>& names = {}) {
  Images images;
  images.pixels = torch::zeros({n, 2, 2, 1}, torch::kByte);
  images.labels = torch::arange(n, torch::kLong).remainder(2);
  if (!names.empty()) images.files = Names(names);
  return images;
}

TEST(SplitFile, ReadsBackExactly) {
  const TestFolder folder;
  const Split split{{0, 3}, {0, 1, 3}, {2}, {4}};
  write_split(folder / "split.csv", split, pictures(5));
  const auto read = read_split(folder / "split.csv", pictures(5));
  EXPECT_EQ(read.labelled, split.labelled);
  EXPECT_EQ(read.unlabelled, split.unlabelled);
  EXPECT_EQ(read.validation, split.validation);
  EXPECT_EQ(read.test, split.test);
}

TEST(SplitFile, FindsPicturesByNameSoThatAddedOnesDoNotMatter) {
  const TestFolder folder;
  write_split(folder / "split.csv", {{0}, {1}, {}, {}}, pictures(2, {"b,1.jpg", "ü.jpg"}));
  const auto read = read_split(folder / "split.csv", pictures(3, {"a.jpg", "b,1.jpg", "ü.jpg"}));
  EXPECT_EQ(read.labelled, std::vector<int64_t>{1});
  EXPECT_EQ(read.unlabelled, std::vector<int64_t>{2});
  EXPECT_THAT(error_of([&] { read_split(folder / "split.csv", pictures(1, {"ü.jpg"})); }),
              HasSubstr("split.csv line 2: the folder has no picture 'b,1.jpg'"));
}

TEST(SplitFile, AnyNameOfAFileComesBack) {
  const TestFolder folder;
  const auto images = pictures(4, {"a\nb.jpg", "c\r", "\"d\".png", " e .png"});
  write_split(folder / "split.csv", {{0, 1}, {2, 3}, {}, {}}, images);
  const auto read = read_split(folder / "split.csv", images);
  EXPECT_EQ(read.labelled, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(read.unlabelled, (std::vector<int64_t>{2, 3}));
}

TEST(SplitFile, NamesTheLineOfWhatIsWrong) {
  const TestFolder folder;
  const auto error = [&](const std::string& text) {
    const auto path = folder.write("split.csv", text);
    return error_of([&] {
      auto images = pictures(5);
      images.labels[4] = kUnlabelled;
      read_split(path, images);
    });
  };
  EXPECT_THAT(error("hello\n"), HasSubstr("line 1: expected the header 'index,part,file'"));
  EXPECT_THAT(error("index,part,file\n1,lab,\n"), HasSubstr("line 2: expected the part labelled"));
  EXPECT_THAT(error("index,part,file\n5,labelled,\n"), HasSubstr("expected an index from 0 to 4"));
  EXPECT_THAT(error("index,part,file\n1x,labelled,\n"), HasSubstr("and found '1x'"));
  EXPECT_THAT(error("index,part,file\n1,labelled,cat/1.png\n"),
              HasSubstr("and the split is of a folder with 'cat/1.png'"));
  EXPECT_THAT(error("index,part,file\n1,labelled,\n1,validation,\n"),
              HasSubstr("must not overlap"));
  EXPECT_THAT(error("index,part,file\n1,labelled,\n1,labelled,\n"), HasSubstr("twice in part"));
  EXPECT_THAT(error("index,part,file\n4,labelled,\n"), HasSubstr("but has no label"));
  EXPECT_THAT(error("index,part,file\r\n1,unlabelled,\r\n"),
              HasSubstr("no image is in part 'labelled'"));
}

TEST(SplitFile, ARowOfAnotherLengthIsNamedWithWhatItHas) {
  const TestFolder folder;
  const auto error = [&](const std::string& text) {
    const auto path = folder.write("split.csv", "index,part,file\n" + text);
    return error_of([&] { read_split(path, pictures(5)); });
  };
  EXPECT_THAT(error("0,labelled\n"),
              HasSubstr("line 2: expected three fields, index,part,file, and found '0,labelled'"));
  EXPECT_THAT(error("0,labelled,,\n"), HasSubstr("and found '0,labelled,,'"));
  EXPECT_THAT(error("0,labelled,\"a\n1,labelled,b\n"), HasSubstr("line 2: expected three fields"));
  for (const char* index : {"-1", "99999999999999999999", "", "+1"})
    EXPECT_THAT(error(std::string(index) + ",labelled,\n"),
                HasSubstr("expected an index from 0 to 4 and found '" + std::string(index) + "'"));
}

TEST(SplitFile, EmptyLinesAndAnyOrderAreFine) {
  const TestFolder folder;
  const auto path = folder.write(
      "split.csv", "index,part,file\n\n3,labelled,\n4,test,\n0,labelled,\n\n1,unlabelled,\n");
  const auto split = read_split(path, pictures(5));
  EXPECT_EQ(split.labelled, (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(split.unlabelled, std::vector<int64_t>{1});
  EXPECT_EQ(split.test, std::vector<int64_t>{4});
  EXPECT_TRUE(split.validation.empty());
}

TEST(SplitFile, OnlyLabelledPicturesMayTrainTwice) {
  const TestFolder folder;
  const auto read = [&](const std::string& one, const std::string& other) {
    const auto path = folder.write(
        "split.csv", "index,part,file\n0,labelled,\n2," + one + ",\n2," + other + ",\n");
    return read_split(path, pictures(5));
  };
  EXPECT_EQ(read("labelled", "unlabelled").unlabelled, std::vector<int64_t>{2});
  EXPECT_EQ(read("unlabelled", "labelled").labelled, (std::vector<int64_t>{0, 2}));
  const std::vector<std::pair<std::string, std::string>> apart{
      {"labelled", "test"}, {"unlabelled", "validation"}, {"validation", "test"}};
  for (const auto& parts : apart)
    EXPECT_THAT(error_of([&] { read(parts.first, parts.second); }),
                HasSubstr("image 2 is in parts '" + parts.first + "' and '" + parts.second +
                          "', which must not overlap"));
}

TEST(SplitFile, AFileThatIsEmptyOrNotThereIsNamed) {
  const TestFolder folder;
  EXPECT_THAT(error_of([&] { read_split(folder.write("split.csv", ""), pictures(5)); }),
              HasSubstr("split.csv: no image is in part 'labelled'"));
  EXPECT_THAT(error_of([&] { read_split(folder / "none.csv", pictures(5)); }),
              HasSubstr("none.csv: No such file"));
}

TEST(SplitFile, ValidationAndTestNeedLabels) {
  const TestFolder folder;
  auto images = pictures(5);
  images.labels[3] = kUnlabelled;
  for (const std::string part : {"validation", "test"}) {
    const auto path = folder.write("split.csv", "index,part,file\n0,labelled,\n3," + part + ",\n");
    EXPECT_THAT(error_of([&] { read_split(path, images); }),
                HasSubstr("image 3 is in part '" + part + "' but has no label"));
  }
  const auto unlabelled =
      folder.write("split.csv", "index,part,file\n0,labelled,\n3,unlabelled,\n");
  EXPECT_EQ(read_split(unlabelled, images).unlabelled, std::vector<int64_t>{3});
}

}  // namespace
}  // namespace penumbra
