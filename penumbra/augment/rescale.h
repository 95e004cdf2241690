#pragma once
#include "penumbra/augment/raster.h"

namespace penumbra {

// The filters of PIL's Image.resize, in CTAugment's order.
enum class ResizeFilter { kLanczos, kBicubic, kBilinear, kBox, kHamming, kNearest };

// Cuts `margin` (a fraction of the size, below 1/2) off every side and resizes what is left
// back to the whole: crop(...).resize(size, filter) of PIL.
void rescale(Canvas& canvas, double margin, ResizeFilter filter);

}  // namespace penumbra
