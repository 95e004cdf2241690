#include "penumbra/data/orientation.h"

#include <cstring>

namespace penumbra {
namespace {

// EXIF is a TIFF file in small: numbers in either byte order, entries of twelve bytes.
struct Tiff {
  const uint8_t* bytes;
  std::size_t size;
  bool little;

  uint32_t number(std::size_t at, int width) const {
    uint32_t value = 0;
    for (int i = 0; i < width; ++i)
      value = value << 8 | bytes[at + static_cast<std::size_t>(little ? width - 1 - i : i)];
    return value;
  }
};

constexpr uint32_t kOrientationTag = 0x0112;

}  // namespace

int exif_orientation(const uint8_t* bytes, std::size_t size) {
  if (size >= 6 && std::memcmp(bytes, "Exif\0\0", 6) == 0) {  // a JPEG marker's prefix
    bytes += 6;
    size -= 6;
  }
  if (size < 8) return 1;
  const bool little = std::memcmp(bytes, "II*\0", 4) == 0;
  if (!little && std::memcmp(bytes, "MM\0*", 4) != 0) return 1;
  const Tiff tiff{bytes, size, little};
  const std::size_t directory = tiff.number(4, 4);
  if (directory > size - 2) return 1;
  const auto entries = tiff.number(directory, 2);
  for (uint32_t i = 0; i < entries; ++i) {
    const auto entry = directory + 2 + 12 * std::size_t{i};
    if (entry + 12 > size) break;
    if (tiff.number(entry, 2) != kOrientationTag) continue;
    const auto value = tiff.number(entry + 8, 2);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

Picture upright(Picture picture, int orientation) {
  if (orientation == 1) return picture;
  const bool swapped = swaps_sides(orientation);
  // Of the stored picture, along the axes as they will be seen.
  const bool flip_rows =
      orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const bool flip_columns =
      orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  Picture seen{swapped ? picture.width : picture.height, swapped ? picture.height : picture.width,
               picture.channels, std::vector<uint8_t>(picture.pixels.size())};
  const auto channels = static_cast<std::size_t>(picture.channels);
  auto* to = seen.pixels.data();
  for (int y = 0; y < seen.height; ++y)
    for (int x = 0; x < seen.width; ++x, to += channels) {
      int row = swapped ? x : y, column = swapped ? y : x;
      if (flip_rows) row = picture.height - 1 - row;
      if (flip_columns) column = picture.width - 1 - column;
      const auto at = static_cast<std::size_t>(row) * static_cast<std::size_t>(picture.width) +
                      static_cast<std::size_t>(column);
      std::memcpy(to, picture.pixels.data() + at * channels, channels);
    }
  return seen;
}

}  // namespace penumbra
