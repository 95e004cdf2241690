#pragma once
#include "penumbra/augment/raster.h"

namespace penumbra {

// PIL's ImageEnhance: 1 leaves the picture as it is, 0 takes the property away, more than 1
// exaggerates it. Grey pictures have no colour to change; pictures of two or four channels
// neither, since luminance is defined for red, green and blue alone.
void brightness(Canvas& canvas, float factor);  // 0: black
void contrast(Canvas& canvas, float factor);    // 0: the mean luminance (or mean of all channels)
void colour(Canvas& canvas, float factor);      // 0: grey
void sharpness(Canvas& canvas, float factor);   // 0: smoothed

// PIL's ImageFilter.SMOOTH and BLUR, mixed with the picture by `level`. The border, one or
// two pixels wide, stays; pictures smaller than the filter stay as they are.
void smooth(Canvas& canvas, float level = 1);
void blur(Canvas& canvas, float level = 1);

}  // namespace penumbra
