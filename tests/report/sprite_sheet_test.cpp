#include "penumbra/report/sprite_sheet.h"

#include <gtest/gtest.h>

#include <array>

#include "penumbra/data/picture.h"

namespace penumbra {
namespace {

std::string decoded_base64(const std::string& text) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char letter : text) {
    if (letter == '=') break;
    bits = bits << 6 | static_cast<uint32_t>(kLetters.find(letter));
    if ((count += 6) < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 255);
  }
  return bytes;
}

// The sheet as a browser shows it.
Picture sheet_picture(const Json& json) {
  const auto address = json["sheet"].get<std::string>();
  const auto bytes = decoded_base64(address.substr(address.find(',') + 1));
  return decode_picture(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

// A colour in the middle of picture i; WebP is not exact.
void expect_colour(const Json& json, int64_t i, std::array<int, 3> colour) {
  const auto sheet = sheet_picture(json);
  const auto width = json["width"].get<int64_t>(), height = json["height"].get<int64_t>(),
             columns = json["columns"].get<int64_t>();
  const auto y = i / columns * height + height / 2, x = i % columns * width + width / 2;
  for (std::size_t c = 0; c < 3; ++c)
    EXPECT_NEAR(sheet.pixels[static_cast<std::size_t>(3 * (y * sheet.width + x)) + c], colour[c],
                12)
        << i;
}

torch::Tensor plain_picture(int64_t height, int64_t width, const std::vector<int64_t>& colour) {
  return torch::tensor(colour, torch::kByte)
      .reshape({1, 1, -1})
      .expand({height, width, -1})
      .contiguous();
}

TEST(SpriteSheet, EveryPictureStandsInItsPlaceWithItsColours) {
  SpriteSheet sheet;
  sheet.add(plain_picture(32, 32, {200, 30, 40}));
  sheet.add(plain_picture(32, 32, {20, 180, 60}));
  sheet.add(plain_picture(32, 32, {20, 30, 220}));
  const auto json = sheet.to_json();
  EXPECT_EQ(json["columns"], 2);
  EXPECT_EQ(sheet_picture(json).width, 64);
  EXPECT_EQ(sheet_picture(json).height, 64);
  expect_colour(json, 0, {200, 30, 40});
  expect_colour(json, 1, {20, 180, 60});
  expect_colour(json, 2, {20, 30, 220});
}

TEST(SpriteSheet, GreyIsShownAsGreyAndAFourthChannelLeftOut) {
  SpriteSheet grey, four;
  grey.add(plain_picture(32, 32, {90}));
  expect_colour(grey.to_json(), 0, {90, 90, 90});
  four.add(plain_picture(32, 32, {200, 30, 40, 7}));
  expect_colour(four.to_json(), 0, {200, 30, 40});
}

TEST(SpriteSheet, LargePicturesAreShrunkWithTheirProportions) {
  SpriteSheet sheet;
  EXPECT_TRUE(sheet.empty());
  sheet.add(plain_picture(500, 250, {10, 120, 240}));
  EXPECT_FALSE(sheet.empty());
  const auto json = sheet.to_json();
  EXPECT_EQ(json["height"], 128);
  EXPECT_EQ(json["width"], 64);
  expect_colour(json, 0, {10, 120, 240});
}

TEST(SpriteSheet, AVeryLongPictureKeepsAPixelOfItsShortSide) {
  SpriteSheet sheet;
  sheet.add(plain_picture(1, 1000, {10, 120, 240}));
  const auto json = sheet.to_json();
  EXPECT_EQ(json["height"], 1);
  EXPECT_EQ(json["width"], 128);
}

}  // namespace
}  // namespace penumbra
