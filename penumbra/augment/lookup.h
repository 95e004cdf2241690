#pragma once
#include <array>
#include <cstdint>

#include "penumbra/augment/raster.h"

namespace penumbra {

// What becomes of each grey level.
using Lookup = std::array<uint8_t, 256>;

// Tables with the meaning of PIL's ImageOps and ImageEnhance.
Lookup posterize_lookup(int bits);              // keep the highest bits, 0 .. 8
Lookup solarize_lookup(double threshold);       // invert what is not below
Lookup invert_lookup(float level);              // 255 - v, mixed with v: 1 inverts, 0 does nothing
Lookup towards_lookup(int grey, float factor);  // grey + factor (v - grey): brightness, contrast

void apply_lookup(Canvas& canvas, const Lookup& lookup);

// Stretch each channel to 0 .. 255; `level` 1 is PIL's, below that mixed with the picture.
void autocontrast(Canvas& canvas, float level = 1);
// Flatten each channel's histogram; `level` as above.
void equalize(Canvas& canvas, float level = 1);

// PIL's Image.blend for one value: from a (factor 0) to b (factor 1) and beyond, cut off.
inline uint8_t blend(int a, int b, float factor) {
  const float value = static_cast<float>(a) + factor * static_cast<float>(b - a);
  return static_cast<uint8_t>(value <= 0 ? 0.0f : value >= 255 ? 255.0f : value);
}

}  // namespace penumbra
