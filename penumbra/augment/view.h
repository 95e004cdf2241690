#pragma once
#include "penumbra/augment/policy.h"
#include "penumbra/augment/raster.h"
#include "penumbra/core/random.h"
#include "penumbra/data/images.h"

namespace penumbra {

// Strong views are numbered from here, so that a further weak view changes none of them.
inline constexpr uint16_t kFirstStrongView = 0x4000;
inline constexpr uint16_t kProbeView = 0x8000;

// Which picture, in which pass over the data. The policies draw from (seed, stream, pass, image,
// view).
struct Occurrence {
  uint64_t seed = 0;
  Stream stream = Stream::kUnlabelledViews;
  uint32_t pass = 0;
  int64_t image = 0;  // its position in the training set

  Random random(uint16_t view) const {
    return Random({seed, stream, pass, static_cast<uint32_t>(image), view});
  }
};

// Shape of the pictures; throws Error where augmentation cannot deal with it.
Shape shape_of(const Images& images);

// The picture in `canvas`, made into view number `view`.
void draw_weak(Canvas& canvas, const Occurrence& occurrence, uint16_t view, const Policy& weak,
               int64_t step);
void draw_strong(Canvas& canvas, const Occurrence& occurrence, uint16_t view, const Policy& weak,
                 const Policy& strong, int64_t step);
Trace draw_probe(Canvas& canvas, const Occurrence& occurrence, const Policy& weak,
                 const Policy& strong, int64_t step);

}  // namespace penumbra
