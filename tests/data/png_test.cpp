#include <gtest/gtest.h>
#include <sys/resource.h>
#include <zlib.h>

#include <string>

#include "penumbra/core/crc32.h"
#include "penumbra/core/file.h"
#include "penumbra/data/picture.h"

namespace penumbra {
namespace {

std::string colour_png() {
  return read_file(PENUMBRA_SOURCE_DIR "/tests/golden/pictures/colour.png");
}

Picture decode_bytes(const std::string& bytes) {
  return decode_picture(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

std::string png_number(uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
  return bytes;
}

std::string png_block(const std::string& kind, const std::string& content) {
  Crc32 sum;
  sum.add(kind.data(), kind.size());
  sum.add(content.data(), content.size());
  return png_number(static_cast<uint32_t>(content.size())) + kind + content +
         png_number(sum.value());
}

// Blocks put before the pixels of a picture.
std::string with_blocks(const std::string& png, const std::string& blocks) {
  const auto pixels = png.find("IDAT") - 4;
  return png.substr(0, pixels) + blocks + png.substr(pixels);
}

std::string deflated(const std::string& text) {
  auto size = compressBound(text.size());
  std::string bytes(size, '\0');
  compress2(reinterpret_cast<Bytef*>(bytes.data()), &size,
            reinterpret_cast<const Bytef*>(text.data()), text.size(), 9);
  bytes.resize(size);
  return bytes;
}

// The most memory that this process had so far.
int64_t peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(Png, NotesAreNotInflated) {
  const auto content = deflated(std::string(7'900'000, 'a'));  // a little less than libpng's limit
  const std::string none(1, '\0');
  std::string zipped, international, palettes;
  for (int i = 0; i < 64; ++i) {
    const auto name = "note" + std::to_string(i) + none;
    zipped.append(png_block("zTXt", name + none + content));
    international.append(png_block("iTXt", name + "\x01" + none + none + none + content));
    palettes.append(png_block("sPLT", name + "\x08" + std::string(60'000, 'p')));
  }
  const auto expected = decode_bytes(colour_png()).pixels;
  for (const auto& blocks :
       {zipped, international, palettes, png_block("iCCP", "profile" + none + none + content)}) {
    const auto bytes = with_blocks(colour_png(), blocks);
    const auto before = peak_kilobytes();
    EXPECT_EQ(decode_bytes(bytes).pixels, expected);
    EXPECT_LT(peak_kilobytes() - before, 64 << 10);
  }
}

// What is large is no reason to do without the picture, nor without its rotation.
TEST(Png, MayHaveLargeNotes) {
  const auto whole = colour_png();
  const auto upright = decode_bytes(whole);
  const auto text = png_block("tEXt", std::string("Title\0", 6) + std::string(9'000'000, 'a'));
  EXPECT_EQ(decode_bytes(with_blocks(whole, text)).pixels, upright.pixels);
  const std::string exif("II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0", 26);
  for (const std::size_t more : {0U, 2'000'000U, 9'000'000U}) {
    const auto turned =
        decode_bytes(with_blocks(whole, png_block("eXIf", exif + std::string(more, '\0'))));
    EXPECT_EQ(turned.height, upright.width) << more;
    EXPECT_EQ(turned.width, upright.height) << more;
  }
}

}  // namespace
}  // namespace penumbra
