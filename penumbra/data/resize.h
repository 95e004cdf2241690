#pragma once
#include <cstdint>

#include "penumbra/data/picture.h"

namespace penumbra {

// How a picture that is not square becomes one.
enum class Fit {
  kCrop,     // the largest square in its middle
  kStretch,  // all of it, the longer side squeezed more
};

// Resizes to size x size with a triangle filter as wide as one new pixel (PIL's
// Image.resize(BILINEAR)), so that fine patterns do not turn into false ones.
// Writes size * size * channels bytes to `target`; a picture has one to four channels.
void resize(const Picture& picture, int size, Fit fit, uint8_t* target);

}  // namespace penumbra
