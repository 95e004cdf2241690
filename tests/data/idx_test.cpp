#include "penumbra/data/idx.h"

#include <zlib.h>

#include "tests/expect_error.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

std::string number(uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 255);
  return bytes;
}

std::string zipped(const std::string& bytes) {
  const TestFolder folder;
  const auto path = folder / "z.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  return read_file(path);
}

const std::string kLabels = number(0x801) + number(3) + std::string("\1\2\11");
const std::string kImages =
    number(0x803) + number(3) + number(2) + number(4) + std::string(24, 'p');

struct Pair {
  TestFolder folder;
  Reading reading;

  Pair(const std::string& images, const std::string& labels, const std::string& ending = "") {
    folder.write("train-images-idx3-ubyte" + ending, images);
    folder.write("train-labels-idx1-ubyte" + ending, labels);
  }
  Images read() { return read_idx_pair(folder.path(), "train", 10, reading); }
  std::string error() {
    return error_of([this] { read(); });
  }
};

TEST(Idx, ReadsPlainAndGzippedAlike) {
  const auto plain = Pair(kImages, kLabels).read();
  const auto gz = Pair(zipped(kImages), zipped(kLabels), ".gz").read();
  EXPECT_EQ(plain.pixels.sizes(), torch::IntArrayRef({3, 2, 4, 1}));
  EXPECT_TRUE(plain.pixels.equal(gz.pixels));
  EXPECT_TRUE(gz.labels.equal(torch::tensor({1, 2, 9}, torch::kLong)));
}

TEST(Idx, NamesFileAndPlaceOfWhatIsWrong) {
  EXPECT_THAT(
      Pair("abcdefghijklmnopqrst", kLabels).error(),
      HasSubstr("train-images-idx3-ubyte, byte 0: magic number 61626364, expected 00000803"));
  EXPECT_THAT(Pair(kLabels, kLabels).error(),
              HasSubstr("byte 11: the file ends within its header"));
  EXPECT_THAT(Pair(kImages.substr(0, 20), kLabels).error(),
              HasSubstr("byte 12: the header claims"));
  EXPECT_THAT(Pair(kImages + "x", kLabels).error(), HasSubstr("byte 40: trailing bytes"));
  EXPECT_THAT(Pair(kImages, number(0x801) + number(3) + std::string("\1\2\12")).error(),
              HasSubstr("record 2: label 10, expected 0 to 9"));
  EXPECT_THAT(Pair(kImages, number(0x801) + number(2) + std::string("\1\2")).error(),
              HasSubstr("2 labels for 3 pictures"));
  EXPECT_THAT(Pair("", kLabels).error(), HasSubstr("byte 0: the file ends within its header"));
}

TEST(Idx, AHeaderThatClaimsTerabytesAllocatesNothing) {
  const auto header = number(0x803) + number(0xffffffff) + number(0xffffffff) + number(1000);
  EXPECT_THAT(Pair(header, kLabels).error(), HasSubstr("the header claims 4294967295"));
  EXPECT_THAT(Pair(zipped(header), zipped(kLabels), ".gz").error(),
              HasSubstr("can hold no more than"));
}

TEST(Idx, ASizeOfZeroIsRefusedWhateverTheOthersAre) {
  const auto none = number(0x803) + number(0) + number(0xffffffff) + number(0xffffffff);
  EXPECT_THAT(Pair(none, kLabels).error(), HasSubstr("byte 4: the header claims 0 values"));
  const auto flat = number(0x803) + number(3) + number(0) + number(0xffffffff);
  EXPECT_THAT(Pair(flat, kLabels).error(), HasSubstr("byte 8: the header claims 3 x 0 values"));
  EXPECT_THAT(Pair(kImages, number(0x801) + number(0)).error(),
              HasSubstr("train-labels-idx1-ubyte, byte 4: the header claims 0 values"));
}

TEST(Idx, AGzipFileCutShortOrDamagedIsNoticed) {
  // Noise, because constant pixels compress to so few bytes that a cut hits the header.
  std::string noise;
  uint32_t state = 1;
  for (int i = 0; i < 3 * 64 * 64; ++i)
    noise += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  const auto images = zipped(number(0x803) + number(3) + number(64) + number(64) + noise);
  EXPECT_THAT(Pair(images.substr(0, images.size() / 2), zipped(kLabels), ".gz").error(),
              HasSubstr("the gzip data is damaged or cut short"));
  auto flipped = images;
  flipped[images.size() - 6] ^= 1;  // in the checksum
  EXPECT_THAT(Pair(flipped, zipped(kLabels), ".gz").error(), HasSubstr("damaged or cut short"));
  EXPECT_THAT(Pair(images.substr(0, images.size() - 4), zipped(kLabels), ".gz").error(),
              HasSubstr("damaged or cut short"));
}

TEST(Idx, AMissingFileComesWithTheRemedy) {
  const TestFolder folder;
  Reading reading;
  reading.remedy = "'penumbra data get mnist' fetches it";
  EXPECT_THAT(error_of([&] { read_idx_pair(folder.path(), "train", 10, reading); }),
              HasSubstr("train-images-idx3-ubyte: no such file; 'penumbra data get mnist'"));
}

TEST(Idx, InspectionCollectsWhatIsWrongWithBothFiles) {
  Pair pair("abcdefghijklmnopqrst", kLabels.substr(0, 5));
  pair.reading.inspect = true;
  EXPECT_EQ(pair.read().size(), 0);
  ASSERT_EQ(pair.reading.problems.size(), 2U);
  EXPECT_THAT(pair.reading.problems[0].what, HasSubstr("magic number"));
  EXPECT_THAT(pair.reading.problems[1].what, HasSubstr("the file ends within its header"));
}

TEST(Idx, AGzipFileThatEndsWithinItsHeaderIsDamaged) {
  const auto images = zipped(kImages);
  EXPECT_THAT(Pair(images.substr(0, 12), zipped(kLabels), ".gz").error(),
              HasSubstr("the gzip data is damaged or cut short"));
}

TEST(Idx, WhatFollowsTheValuesIsNoticed) {
  EXPECT_THAT(Pair(kImages + "x", kLabels).error(),
              HasSubstr("trailing bytes after the 24 values"));
}

TEST(Idx, KnowsItsFilesByName) {
  const Pair plain(kImages, kLabels), gz(zipped(kImages), zipped(kLabels), ".gz");
  EXPECT_TRUE(has_idx_files(plain.folder.path()));
  EXPECT_TRUE(has_idx_files(gz.folder.path()));
  EXPECT_FALSE(has_idx_files(plain.folder / "none"));
  const TestFolder folder;
  EXPECT_FALSE(is_fashion(folder.path()));
  for (const char* name : {"fashion-mnist", "FashionMNIST/raw", "my_Fashion"}) {
    std::filesystem::create_directories(folder / name);
    EXPECT_TRUE(is_fashion(folder / name)) << name;
  }
  for (const char* name : {"fashion-lab/mnist", "raw", "MNIST/raw"}) {
    std::filesystem::create_directories(folder / name);
    EXPECT_FALSE(is_fashion(folder / name)) << name;
  }
}

TEST(Idx, APlainFileCutWithinItsValuesNamesTheByte) {
  EXPECT_THAT(Pair(kImages.substr(0, kImages.size() - 1), kLabels).error(),
              HasSubstr("train-images-idx3-ubyte, byte 39: cut short: expected 24 values; get the "
                        "file again"));
  EXPECT_THAT(Pair(kImages, kLabels.substr(0, kLabels.size() - 2)).error(),
              HasSubstr("train-labels-idx1-ubyte, byte 9: cut short: expected 3 values"));
}

TEST(Idx, AGzipFileMayHoldFewerOrMoreValuesThanItsHeaderSays) {
  EXPECT_THAT(Pair(zipped(kImages.substr(0, 30)), zipped(kLabels), ".gz").error(),
              HasSubstr("train-images-idx3-ubyte.gz, byte 30: cut short: expected 24 values"));
  EXPECT_THAT(Pair(zipped(kImages + "x"), zipped(kLabels), ".gz").error(),
              HasSubstr("byte 40: trailing bytes"));
}

TEST(Idx, ValuesOfAnotherTypeAreNoPictures) {
  auto floats = kImages;
  floats[2] = 0x0d;
  EXPECT_THAT(Pair(floats, kLabels).error(),
              HasSubstr("magic number 00000d03, expected 00000803: not an idx file of bytes in 3 "
                        "dimensions"));
  EXPECT_THAT(
      Pair(kImages, kImages).error(),
      HasSubstr("train-labels-idx1-ubyte, byte 0: magic number 00000803, expected 00000801"));
}

TEST(Idx, ThePlainFileCountsWhereBothAreThere) {
  Pair pair(kImages, kLabels);
  pair.folder.write("train-images-idx3-ubyte.gz", "no gzip data");
  EXPECT_EQ(pair.read().size(), 3);
}

TEST(Idx, OneFileMayBeGzippedAndTheOtherPlain) {
  const TestFolder folder;
  folder.write("t10k-images-idx3-ubyte.gz", zipped(kImages));
  folder.write("t10k-labels-idx1-ubyte", kLabels);
  Reading reading;
  EXPECT_EQ(read_idx_pair(folder.path(), "t10k", 10, reading).size(), 3);
}

TEST(Idx, PixelsKeepTheirPlace) {
  std::string counting;
  for (int i = 0; i < 24; ++i) counting += static_cast<char>(200 + i);
  const auto images =
      Pair(number(0x803) + number(3) + number(2) + number(4) + counting, kLabels).read();
  EXPECT_TRUE(images.pixels.flatten().equal(torch::arange(200, 224, torch::kByte)));
  EXPECT_EQ(images.pixels[1][1][2][0].item<int>(), 200 + 8 + 4 + 2);
}

TEST(Idx, AFolderInPlaceOfAFileIsNamed) {
  const TestFolder folder;
  std::filesystem::create_directory(folder / "train-images-idx3-ubyte");
  Reading reading;
  EXPECT_THAT(error_of([&] { read_idx_pair(folder.path(), "train", 10, reading); }),
              HasSubstr("train-images-idx3-ubyte: not a regular file"));
}

TEST(Idx, InspectionGoesOnWhereThereAreOtherLabelsThanPictures) {
  Pair pair(kImages, number(0x801) + number(2) + std::string("\1\2"));
  pair.reading.inspect = true;
  EXPECT_EQ(pair.read().size(), 0);
  ASSERT_EQ(pair.reading.problems.size(), 1U);
  EXPECT_EQ(pair.reading.problems[0].what, "2 labels for 3 pictures");
}

}  // namespace
}  // namespace penumbra
