#pragma once
#include <cstddef>
#include <cstdint>

#include "penumbra/data/picture.h"

namespace penumbra {

// The orientation, 1..8, in an EXIF block; 1 where there is none or it makes no sense.
int exif_orientation(const uint8_t* bytes, std::size_t size);

// Do rows become columns under this orientation?
inline bool swaps_sides(int orientation) { return orientation >= 5; }

// The picture as it was meant to be seen.
Picture upright(Picture picture, int orientation);

}  // namespace penumbra
