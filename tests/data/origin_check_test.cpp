#include "penumbra/data/origin_check.h"

#include <sys/stat.h>
#include <zlib.h>

#include "penumbra/core/file.h"
#include "tests/expect_error.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

// Of "abc", FIPS 180-2, appendix B.1.
const Origin kAbcOrigin{
    "letters",
    "",
    "",
    "",
    {{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
     {"names.txt", ""}},
    {}};

void write_gzipped(const std::filesystem::path& path, const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
}

TEST(OriginCheck, RightFilesHaveNoProblem) {
  const TestFolder folder;
  folder.write("abc", "abc");
  folder.write("names.txt", "whatever: its sum is not known");
  EXPECT_EQ(check_origin_files(kAbcOrigin, folder.path()), "");
}

TEST(OriginCheck, TheSumOfAGzippedFileIsThatOfItsContents) {
  const TestFolder folder;
  write_gzipped(folder / "abc.gz", "abc");
  write_gzipped(folder / "names.txt.gz", "");
  EXPECT_EQ(check_origin_files(kAbcOrigin, folder.path()), "");
}

TEST(OriginCheck, AMissingFileIsNamedAlsoWhereItsSumIsNotKnown) {
  const TestFolder folder;
  EXPECT_EQ(check_origin_files(kAbcOrigin, folder.path()), "abc is missing");
  folder.write("abc", "abc");
  EXPECT_EQ(check_origin_files(kAbcOrigin, folder.path()), "names.txt is missing");
}

TEST(OriginCheck, AnotherSumIsNamedBesideTheOfficialOne) {
  const TestFolder folder;
  folder.write("names.txt", "");
  folder.write("abc", "");
  const std::string both =
      "abc has the SHA-256 sum e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855, "
      "the official file has ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  EXPECT_EQ(check_origin_files(kAbcOrigin, folder.path()), both);
  std::filesystem::remove(folder / "abc");
  write_gzipped(folder / "abc.gz", "");
  EXPECT_EQ(check_origin_files(kAbcOrigin, folder.path()), both);
}

TEST(OriginCheck, ThePlainFileCountsWhereBothAreThere) {
  const TestFolder folder;
  folder.write("names.txt", "");
  folder.write("abc", "abc");
  folder.write("abc.gz", "no gzip data");
  EXPECT_EQ(check_origin_files(kAbcOrigin, folder.path()), "");
}

TEST(OriginCheck, ADamagedGzipFileSaysWhatIsWrong) {
  const TestFolder folder;
  folder.write("names.txt", "");
  write_gzipped(folder / "whole.gz", "abc");
  auto bytes = read_file(folder / "whole.gz");
  folder.write("abc.gz", bytes.substr(0, bytes.size() - 6));
  EXPECT_THAT(error_of([&] { check_origin_files(kAbcOrigin, folder.path()); }),
              HasSubstr("cannot read " + (folder / "abc.gz").string() + ": "));
  bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 1);  // in the checksum
  folder.write("abc.gz", bytes);
  EXPECT_THAT(error_of([&] { check_origin_files(kAbcOrigin, folder.path()); }),
              HasSubstr("cannot read " + (folder / "abc.gz").string() + ": "));
}

TEST(OriginCheck, AFolderInPlaceOfAFileIsAnError) {
  const TestFolder folder;
  folder.write("abc/inside", "");
  EXPECT_THAT(error_of([&] { check_origin_files(kAbcOrigin, folder.path()); }),
              HasSubstr("abc: not a regular file"));
}

TEST(OriginCheck, ADatasetWithoutFilesHasNoProblem) {
  const TestFolder folder;
  EXPECT_EQ(check_origin_files({}, folder.path()), "");
}

TEST(OriginCheck, APipeIsNotWaitedFor) {
  const TestFolder folder;
  folder.write("names.txt", "");
  ASSERT_EQ(mkfifo((folder / "abc.gz").c_str(), 0600), 0);
  EXPECT_THAT(error_of([&] { check_origin_files(kAbcOrigin, folder.path()); }),
              HasSubstr("abc.gz: not a regular file"));
  ASSERT_EQ(mkfifo((folder / "abc").c_str(), 0600), 0);
  EXPECT_THAT(error_of([&] { check_origin_files(kAbcOrigin, folder.path()); }),
              HasSubstr("abc: not a regular file"));
}

TEST(OriginCheck, WhatCannotBeLookedAtIsNotMissing) {
  const TestFolder folder;
  std::filesystem::create_symlink("abc", folder / "abc");
  EXPECT_THAT(error_of([&] { check_origin_files(kAbcOrigin, folder.path()); }),
              HasSubstr("abc: Too many levels of symbolic links"));
}

}  // namespace
}  // namespace penumbra
