#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace penumbra {

// One decoded picture, upright.
struct Picture {
  int height = 0, width = 0, channels = 0;  // 3: red, green, blue; 1: grey
  std::vector<uint8_t> pixels;              // [H, W, C]
};

// 0.299 red + 0.587 green + 0.114 blue (ITU-R 601), in 16 bits after the point as PIL has it.
inline int luminance(const uint8_t* rgb) {
  return (rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 0x8000) >> 16;
}

struct DecodeRequest {
  int channels = 3;          // 3 or 1, whatever the file has
  int short_side = 0;        // what it will be resized to: a JPEG may come back reduced, but
                             // never below twice this; 0 for the file's own size
  bool header_only = false;  // only height and width are wanted: `pixels` stays empty
  // Pixels of an earlier picture, whose memory may be used again; taken from there.
  std::vector<uint8_t>* memory = nullptr;
};

// A JPEG, PNG or WebP file's bytes as a picture; the format is told by its first bytes, never
// by a name. Transparent parts become white, of 16 bits the upper 8 are kept, a rotation noted
// by the camera (EXIF) is done. Throws Error for what is broken, cut short or absurdly large, and
// std::bad_alloc where memory is short, which is not the file's fault.
Picture decode_picture(const uint8_t* bytes, std::size_t size, const DecodeRequest& request = {});

// Writes a grey or RGB picture.
void encode_png(const std::filesystem::path& path, const Picture& picture);

}  // namespace penumbra
