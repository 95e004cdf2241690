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
  EXPECT_THAT(error("index,part,file\n1,labelled,\n1,validation,\n"),
              HasSubstr("must not overlap"));
  EXPECT_THAT(error("index,part,file\n1,labelled,\n1,labelled,\n"), HasSubstr("twice in part"));
  EXPECT_THAT(error("index,part,file\n4,labelled,\n"), HasSubstr("but has no label"));
  EXPECT_THAT(error("index,part,file\r\n1,unlabelled,\r\n"),
              HasSubstr("no image is in part 'labelled'"));
}

}  // namespace
}  // namespace penumbra
