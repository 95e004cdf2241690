#pragma once
#include <cstdint>

#include "penumbra/augment/raster.h"

namespace penumbra {

// Operations on each grey level by itself, with the meaning of PIL's ImageOps. `level` says
// how much of the result is mixed in: 1 is PIL's operation, 0 leaves the picture as it is.
void posterize(Canvas& canvas, int bits);            // keep the highest bits, 0 to 8
void solarize(Canvas& canvas, double threshold);     // invert what is not below
void invert(Canvas& canvas, float level = 1);        // 255 - v
void autocontrast(Canvas& canvas, float level = 1);  // stretch each channel to 0 .. 255
void equalize(Canvas& canvas, float level = 1);      // flatten each channel's histogram

// PIL's Image.blend for one value: from a (factor 0) to b (factor 1) and beyond, cut off.
inline uint8_t blend(int a, int b, float factor) {
  const int value = static_cast<int>(static_cast<float>(a) + factor * static_cast<float>(b - a));
  return static_cast<uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
}

}  // namespace penumbra
