#include "penumbra/augment/view.h"

namespace penumbra {

Shape shape_of(const Images& images) {
  constexpr int64_t kMostPixels = 8192;  // along a side: bytes are counted in int
  const auto height = images.height(), width = images.width(), channels = images.channels();
  if (channels < 1 || channels > 4)
    fail("pictures of ", channels, " channels: augmentation expects 1 to 4");
  if (height < 1 || width < 1 || height > kMostPixels || width > kMostPixels)
    fail("pictures of ", width, "x", height, " pixels: augmentation expects sides of 1 to ",
         kMostPixels, "; --size resizes");
  return {static_cast<int>(height), static_cast<int>(width), static_cast<int>(channels)};
}

void draw_weak(Canvas& canvas, const Occurrence& occurrence, uint16_t view, const Policy& weak,
               int64_t step) {
  auto random = occurrence.random(view);
  weak.apply(canvas, random, step);
}

void draw_strong(Canvas& canvas, const Occurrence& occurrence, uint16_t view, const Policy& weak,
                 const Policy& strong, int64_t step) {
  auto random = occurrence.random(static_cast<uint16_t>(kFirstStrongView + view));
  weak.apply(canvas, random, step);
  strong.apply(canvas, random, step);
}

Trace draw_probe(Canvas& canvas, const Occurrence& occurrence, const Policy& weak,
                 const Policy& strong, int64_t step) {
  auto random = occurrence.random(kProbeView);
  weak.apply(canvas, random, step);
  return strong.probe(canvas, random);
}

}  // namespace penumbra
