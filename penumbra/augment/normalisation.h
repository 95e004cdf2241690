#pragma once
#include <cstdint>
#include <vector>

#include "penumbra/augment/raster.h"

namespace penumbra {

// Channels brought to mean 0 and deviation 1: (grey level / 255 - mean) / std.
struct Normalisation {
  std::vector<float> mean, std;  // one each per channel
};

// Writes normalised pictures. value = level * scale + offset, in float, without fused
// multiply-add: the same bits on every processor.
class Normaliser {
 public:
  Normaliser(const Normalisation& normalisation, Shape shape);

  void write(const uint8_t* pixels, float* out) const;     // float32
  void write(const uint8_t* pixels, uint16_t* out) const;  // bfloat16, to nearest, ties to even

 private:
  int size_;
  // The channels' factors repeated up to a length that fills whole vectors.
  std::vector<float> scale_, offset_;
};

}  // namespace penumbra
