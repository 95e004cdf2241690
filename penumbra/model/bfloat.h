#pragma once
#include <cstdint>

namespace penumbra {

// The upper half of a float.
struct Bfloat {
  uint16_t bits;
};

}  // namespace penumbra
