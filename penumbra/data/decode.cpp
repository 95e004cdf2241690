#include <cstring>
#include <string>
#include <string_view>

#include "penumbra/core/error.h"
#include "penumbra/data/orientation.h"
#include "penumbra/data/picture_formats.h"

namespace penumbra {
namespace {

// 16384 x 16384: larger than any camera's, small enough for memory.
constexpr int64_t kMostPixels = int64_t{1} << 28;

// What a file that we do not read starts with, to name it in the message.
struct OtherFormat {
  std::size_t at;
  std::string_view magic, name;
};
constexpr OtherFormat kOthers[] = {
    {0, "GIF8", "GIF"},      {0, "BM", "BMP"},        {0, {"II*\0", 4}, "TIFF"},
    {4, "ftypheic", "HEIC"}, {4, "ftypavif", "AVIF"}, {0, {"MM\0*", 4}, "TIFF"},
};

bool starts(std::string_view bytes, std::size_t at, std::string_view magic) {
  return bytes.size() >= at + magic.size() && bytes.substr(at, magic.size()) == magic;
}

[[noreturn]] void fail_format(std::string_view bytes) {
  if (bytes.empty()) fail("the file is empty, expected a JPEG, PNG or WebP picture");
  for (const auto& other : kOthers)
    if (starts(bytes, other.at, other.magic))
      fail("a ", other.name, " file, expected JPEG, PNG or WebP; convert it or take it away");
  std::string start(bytes.substr(0, 12));
  for (auto& letter : start)
    if (letter < ' ' || letter > '~') letter = '?';
  fail("not a JPEG, PNG or WebP picture: it starts with '", start, "'");
}

Decoded decode_any(std::string_view text, const DecodeRequest& request) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  if (starts(text, 0, "\xff\xd8\xff")) return decode_jpeg(bytes, text.size(), request);
  if (starts(text, 0, "\x89PNG\r\n\x1a\n")) return decode_png(bytes, text.size(), request);
  if (starts(text, 0, "RIFF") && starts(text, 8, "WEBP"))
    return decode_webp(bytes, text.size(), request);
  fail_format(text);
}

// value = colour * opacity + white * (1 - opacity), in whole numbers with rounding.
void drop_opacity(Picture& picture) {
  const auto* from = picture.pixels.data();
  auto* to = picture.pixels.data();
  const auto n = picture.pixels.size() / 4;
  for (std::size_t i = 0; i < n; ++i, from += 4) {
    const int opacity = from[3];
    for (int c = 0; c < 3; ++c)
      *to++ = static_cast<uint8_t>((from[c] * opacity + 255 * (255 - opacity) + 127) / 255);
  }
  picture.pixels.resize(3 * n);
  picture.channels = 3;
}

void to_grey(Picture& picture) {
  const auto* from = picture.pixels.data();
  const auto n = picture.pixels.size() / 3;
  for (std::size_t i = 0; i < n; ++i, from += 3)
    picture.pixels[i] = static_cast<uint8_t>(luminance(from));
  picture.pixels.resize(n);
  picture.channels = 1;
}

void to_colour(Picture& picture) {
  std::vector<uint8_t> colour;
  colour.reserve(3 * picture.pixels.size());
  for (const auto grey : picture.pixels) colour.insert(colour.end(), 3, grey);
  picture.pixels = std::move(colour);
  picture.channels = 3;
}

}  // namespace

void check_picture_size(int64_t width, int64_t height) {
  if (width < 1 || height < 1)
    fail("a picture of ", width, " x ", height, " pixels: it has no content");
  if (height > kMostPixels / width)
    fail("a picture of ", width, " x ", height, " pixels, more than the ", kMostPixels,
         " that are read; reduce it first");
}

Picture decode_picture(const uint8_t* bytes, std::size_t size, const DecodeRequest& request) {
  auto [picture, orientation] = decode_any({reinterpret_cast<const char*>(bytes), size}, request);
  if (request.header_only) {
    if (swaps_sides(orientation)) std::swap(picture.height, picture.width);
    return std::move(picture);
  }
  if (picture.channels == 4) drop_opacity(picture);
  if (picture.channels == 3 && request.channels == 1) to_grey(picture);
  if (picture.channels == 1 && request.channels == 3) to_colour(picture);
  return upright(std::move(picture), orientation);
}

}  // namespace penumbra
