#pragma once
#include <array>
#include <cstdint>

#include "penumbra/augment/raster.h"

namespace penumbra {

enum class Interpolation { kNearest, kBilinear };

// The picture moved by (dx, dy) pixels, what enters being its reflection without the edge repeated
// (numpy's "reflect"): out(y, x) = in(y + dy, x + dx). |dy| < height and |dx| < width.
void reflect_shift(const uint8_t* in, uint8_t* out, Shape shape, int dx, int dy);
void mirror(Canvas& canvas);

// out(y, x) = in at (a[0] x + a[1] y + a[2], a[3] x + a[4] y + a[5]), taken at pixel centres;
// black outside. PIL's Image.transform(AFFINE).
void affine(Canvas& canvas, const std::array<double, 6>& a, Interpolation interpolation);

void rotate(Canvas& canvas, double degrees, Interpolation interpolation);  // anticlockwise
void shear_x(Canvas& canvas, double slope, Interpolation interpolation);
void shear_y(Canvas& canvas, double slope, Interpolation interpolation);
// Pixels to the left and up.
void translate(Canvas& canvas, double dx, double dy, Interpolation interpolation);

// Paints columns x0 .. x1-1 of rows y0 .. y1-1, cut off at the edges of the picture.
void cutout(Canvas& canvas, int x0, int y0, int x1, int y1, const std::array<uint8_t, 4>& paint);

}  // namespace penumbra
