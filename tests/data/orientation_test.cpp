#include "penumbra/data/orientation.h"

#include <gtest/gtest.h>

#include <string>

namespace penumbra {
namespace {

// An EXIF block: a TIFF header, a directory of two entries, the second of which is the orientation.
std::string exif_block(bool little, int orientation, const std::string& prefix = "") {
  const auto number = [&](uint32_t value, int width) {
    std::string bytes;
    for (int i = 0; i < width; ++i)
      bytes += static_cast<char>(value >> 8 * (little ? i : width - 1 - i) & 255);
    return bytes;
  };
  const auto entry = [&](uint32_t tag, uint32_t value) {  // of type 3, two bytes, one value
    return number(tag, 2) + number(3, 2) + number(1, 4) + number(value, 2) + number(0, 2);
  };
  return prefix + (little ? std::string("II*\0", 4) : std::string("MM\0*", 4)) + number(8, 4) +
         number(2, 2) + entry(0x0100, 640) + entry(0x0112, static_cast<uint32_t>(orientation)) +
         number(0, 4);
}

int orientation_of(const std::string& block) {
  return exif_orientation(reinterpret_cast<const uint8_t*>(block.data()), block.size());
}

TEST(Orientation, IsReadInEitherByteOrderWithAndWithoutAPrefix) {
  for (const bool little : {true, false})
    for (int orientation = 1; orientation <= 8; ++orientation) {
      EXPECT_EQ(orientation_of(exif_block(little, orientation)), orientation);
      EXPECT_EQ(orientation_of(exif_block(little, orientation, std::string("Exif\0\0", 6))),
                orientation);
    }
}

TEST(Orientation, ThatMakesNoSenseIsUpright) {
  for (const int orientation : {0, 9, 255, 65535})
    EXPECT_EQ(orientation_of(exif_block(true, orientation)), 1) << orientation;
}

TEST(Orientation, OfABlockCutAnywhereIsUprightOrRight) {
  const auto block = exif_block(false, 6);
  const auto entry_ends = block.size() - 4;  // what follows is the place of a next directory
  for (std::size_t size = 0; size <= block.size(); ++size)
    EXPECT_EQ(orientation_of(block.substr(0, size)), size < entry_ends ? 1 : 6) << size;
}

TEST(Orientation, OfOtherBytesIsUpright) {
  EXPECT_EQ(orientation_of(""), 1);
  EXPECT_EQ(orientation_of("this is no EXIF block at all"), 1);
  EXPECT_EQ(orientation_of(std::string("Exif\0\0", 6)), 1);
  auto elsewhere = exif_block(true, 6);
  elsewhere[7] = '\x7f';  // the directory would lie two gigabytes further on
  EXPECT_EQ(orientation_of(elsewhere), 1);
  auto another = exif_block(true, 6);
  another[22] = 0x13;  // the tag 0x0113 in place of 0x0112
  EXPECT_EQ(orientation_of(another), 1);
}

TEST(Orientation, OfADirectoryThatClaimsMoreEntriesThanThereAreIsUpright) {
  auto block = exif_block(true, 6);
  block[22] = 0x13;
  block[8] = block[9] = '\xff';
  EXPECT_EQ(orientation_of(block), 1);
}

// 1 2 3
// 4 5 6   stored; how it is to be seen for each number stands in the EXIF standard, section 4.6.4.
TEST(Orientation, EveryOneIsUndone) {
  struct Seen {
    int height, width;
    std::vector<uint8_t> pixels;
  };
  const Seen expected[] = {{2, 3, {1, 2, 3, 4, 5, 6}},   // as it is
                           {2, 3, {3, 2, 1, 6, 5, 4}},   // mirrored
                           {2, 3, {6, 5, 4, 3, 2, 1}},   // upside down
                           {2, 3, {4, 5, 6, 1, 2, 3}},   // mirrored upside down
                           {3, 2, {1, 4, 2, 5, 3, 6}},   // rows are columns
                           {3, 2, {4, 1, 5, 2, 6, 3}},   // turned clockwise
                           {3, 2, {6, 3, 5, 2, 4, 1}},   // rows are columns, both reversed
                           {3, 2, {3, 6, 2, 5, 1, 4}}};  // turned anticlockwise
  for (int orientation = 1; orientation <= 8; ++orientation) {
    SCOPED_TRACE(orientation);
    const auto seen = upright({2, 3, 1, {1, 2, 3, 4, 5, 6}}, orientation);
    EXPECT_EQ(seen.height, expected[orientation - 1].height);
    EXPECT_EQ(seen.width, expected[orientation - 1].width);
    EXPECT_EQ(seen.pixels, expected[orientation - 1].pixels);
    EXPECT_EQ(swaps_sides(orientation), seen.height == 3);
  }
}

TEST(Orientation, TheColoursOfAPixelStayTogether) {
  const auto seen = upright({1, 2, 3, {10, 11, 12, 20, 21, 22}}, 2);
  EXPECT_EQ(seen.channels, 3);
  EXPECT_EQ(seen.pixels, (std::vector<uint8_t>{20, 21, 22, 10, 11, 12}));
  const auto turned = upright({1, 2, 3, {10, 11, 12, 20, 21, 22}}, 8);
  EXPECT_EQ(turned.height, 2);
  EXPECT_EQ(turned.pixels, (std::vector<uint8_t>{20, 21, 22, 10, 11, 12}));
}

}  // namespace
}  // namespace penumbra
