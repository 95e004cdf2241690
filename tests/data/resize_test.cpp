#include "penumbra/data/resize.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "penumbra/core/error.h"
#include "penumbra/core/file.h"

namespace penumbra {
namespace {

const std::string kGolden = PENUMBRA_SOURCE_DIR "/tests/golden/pictures/";

TEST(Resize, AgreesWithPilWithinOneGreyLevel) {
  std::istringstream lines(read_file(kGolden + "resize.csv"));
  int rows = 0;
  for (std::string line; std::getline(lines, line); ++rows) {
    SCOPED_TRACE(line);
    for (auto& letter : line)
      if (letter == ',') letter = ' ';
    std::string file, fit, expected_file;
    int size = 0;
    std::istringstream(line) >> file >> fit >> size >> expected_file;
    const auto bytes = read_file(kGolden + file), expected = read_file(kGolden + expected_file);
    const auto picture =
        decode_picture(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    const auto side = static_cast<std::size_t>(size), area = side * side;
    std::vector<uint8_t> resized(3 * area);
    resize(picture, size, fit == "crop" ? Fit::kCrop : Fit::kStretch, resized.data());
    // Of the enlarged ones only rows 40 to 49 are kept in the repository.
    const std::size_t skip = size == 100 ? 40 * 100 * 3 : 0;
    ASSERT_LE(skip + expected.size(), resized.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_LE(std::abs(resized[skip + i] - static_cast<uint8_t>(expected[i])), 1) << i;

    // Grey is treated as a colour is.
    Picture grey{picture.height, picture.width, 1, {}};
    for (std::size_t i = 0; i < picture.pixels.size(); i += 3)
      grey.pixels.push_back(picture.pixels[i]);
    std::vector<uint8_t> resized_grey(area);
    resize(grey, size, fit == "crop" ? Fit::kCrop : Fit::kStretch, resized_grey.data());
    for (std::size_t i = 0; i < area; ++i) ASSERT_EQ(resized_grey[i], resized[3 * i]);
  }
  EXPECT_EQ(rows, 12);
}

TEST(Resize, EveryChannelIsTreatedAlike) {
  for (const int channels : {1, 2, 3, 4}) {
    Picture picture{11, 13, channels, {}};
    for (int i = 0; i < 11 * 13; ++i)
      for (int c = 0; c < channels; ++c)
        picture.pixels.push_back(static_cast<uint8_t>(37 * i + 50 * c));
    const auto count = static_cast<std::size_t>(channels);
    std::vector<uint8_t> resized(25 * count + 1, 77);
    resize(picture, 5, Fit::kCrop, resized.data());
    EXPECT_EQ(resized.back(), 77);  // nothing behind the end
    for (std::size_t c = 0; c < count; ++c) {
      Picture one{11, 13, 1, {}};
      for (std::size_t i = c; i < picture.pixels.size(); i += count)
        one.pixels.push_back(picture.pixels[i]);
      std::vector<uint8_t> alone(25);
      resize(one, 5, Fit::kCrop, alone.data());
      for (std::size_t i = 0; i < alone.size(); ++i)
        ASSERT_EQ(resized[i * count + c], alone[i]) << channels << ' ' << c << ' ' << i;
    }
  }
  std::vector<uint8_t> nowhere(500);
  for (const int channels : {0, 5})
    EXPECT_THROW(
        resize(Picture{2, 2, channels, std::vector<uint8_t>(20)}, 1, Fit::kCrop, nowhere.data()),
        Error);
}

TEST(Resize, KeepsAPlainColour) {
  for (const uint8_t level : {0, 1, 128, 254, 255}) {
    const Picture plain{37, 53, 3, std::vector<uint8_t>(std::size_t{37} * 53 * 3, level)};
    for (const int size : {1, 7, 64}) {
      const auto side = static_cast<std::size_t>(size);
      std::vector<uint8_t> resized(3 * side * side, 77);
      resize(plain, size, Fit::kCrop, resized.data());
      for (const auto value : resized) ASSERT_EQ(value, level);
    }
  }
}

std::vector<int> resized_to(const Picture& picture, int size, Fit fit) {
  std::vector<uint8_t> pixels(static_cast<std::size_t>(size * size * picture.channels));
  resize(picture, size, fit, pixels.data());
  return {pixels.begin(), pixels.end()};
}

TEST(Resize, OfTheSameSizeChangesNothing) {
  const Picture picture{3, 3, 1, {1, 50, 99, 128, 7, 255, 0, 33, 200}};
  EXPECT_EQ(resized_to(picture, 3, Fit::kCrop),
            (std::vector<int>{1, 50, 99, 128, 7, 255, 0, 33, 200}));
}

TEST(Resize, OnePixelOfFourIsTheirMean) {
  EXPECT_EQ(resized_to({2, 2, 1, {10, 20, 30, 40}}, 1, Fit::kCrop), std::vector<int>{25});
  EXPECT_EQ(resized_to({1, 1, 1, {77}}, 3, Fit::kCrop), std::vector<int>(9, 77));
}

// Columns of 0 and 100 at twice the size: a quarter of the way from the one to the other.
TEST(Resize, BetweenTwoPixelsItIsAsNearAsTheyAre) {
  const auto wide = resized_to({2, 2, 1, {0, 100, 0, 100}}, 4, Fit::kStretch);
  for (std::size_t row = 0; row < 4; ++row) {
    EXPECT_EQ(wide[4 * row], 0);
    EXPECT_EQ(wide[4 * row + 1], 25);
    EXPECT_EQ(wide[4 * row + 2], 75);
    EXPECT_EQ(wide[4 * row + 3], 100);
  }
}

TEST(Resize, CropTakesTheMiddleOfEitherSide) {
  const std::vector<int> middle{2, 3, 6, 7};
  EXPECT_EQ(resized_to({2, 4, 1, {1, 2, 3, 4, 5, 6, 7, 8}}, 2, Fit::kCrop), middle);
  EXPECT_EQ(resized_to({4, 2, 1, {1, 2, 2, 3, 6, 7, 8, 9}}, 2, Fit::kCrop), middle);
}

}  // namespace
}  // namespace penumbra
