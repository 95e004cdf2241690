#pragma once
#include "penumbra/data/picture.h"

namespace penumbra {

// What one format's decoder hands to decode_picture: pixels as they lie in the file.
struct Decoded {
  Picture picture;      // 1, 3 or 4 channels; the fourth is opacity
  int orientation = 1;  // as EXIF counts, 1..8
};

Decoded decode_jpeg(const uint8_t* bytes, std::size_t size, const DecodeRequest& request);
Decoded decode_png(const uint8_t* bytes, std::size_t size, const DecodeRequest& request);
Decoded decode_webp(const uint8_t* bytes, std::size_t size, const DecodeRequest& request);

// Throws Error unless a picture of this size may be given memory.
void check_picture_size(int64_t width, int64_t height);

}  // namespace penumbra
