#include "penumbra/augment/enhance.h"

#include "penumbra/augment/lookup.h"

namespace penumbra {
namespace {

// ITU-R 601-2 in 16 bits after the point, as PIL's convert("L")
inline int luminance(const uint8_t* rgb) {
  return (rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 0x8000) >> 16;
}

PENUMBRA_WIDE int64_t sum_of_luminance(const uint8_t* pixels, int n) {
  int64_t sum = 0;
  for (int i = 0; i < n; ++i) sum += luminance(pixels + 3 * i);
  return sum;
}

PENUMBRA_WIDE int64_t sum_of_levels(const uint8_t* pixels, int n) {
  int64_t sum = 0;
  for (int i = 0; i < n; ++i) sum += pixels[i];
  return sum;
}

PENUMBRA_WIDE void blend_with_luminance(uint8_t* pixels, int n, float factor) {
  for (int i = 0; i < n; ++i) {
    uint8_t* rgb = pixels + 3 * i;
    const int grey = luminance(rgb);
    rgb[0] = blend(grey, rgb[0], factor);
    rgb[1] = blend(grey, rgb[1], factor);
    rgb[2] = blend(grey, rgb[2], factor);
  }
}

// One row of the sum of 3x3 pixels with the middle counted five times, divided by 13 and rounded.
// 13 being odd, a half never occurs, so this is PIL's floating-point result.
PENUMBRA_WIDE void smooth_row(const uint8_t* __restrict in, uint8_t* __restrict out, int begin,
                              int end, int row, int step) {
  for (int i = begin; i < end; ++i) {
    const uint8_t* p = in + i;
    const auto sum =
        static_cast<uint16_t>(p[-row - step] + p[-row] + p[-row + step] + p[-step] + 5 * p[0] +
                              p[step] + p[row - step] + p[row] + p[row + step] + 6);
    out[i] = static_cast<uint8_t>(sum / 13);
  }
}

// The 16 pixels on the rim of 5x5, their mean rounded.
PENUMBRA_WIDE void blur_row(const uint8_t* __restrict in, uint8_t* __restrict out, int begin,
                            int end, int row, int step) {
  for (int i = begin; i < end; ++i) {
    const uint8_t *p = in + i, *top = p - 2 * row, *bottom = p + 2 * row;
    const int horizontal = top[-2 * step] + top[-step] + top[0] + top[step] + top[2 * step] +
                           bottom[-2 * step] + bottom[-step] + bottom[0] + bottom[step] +
                           bottom[2 * step];
    const int vertical = p[-row - 2 * step] + p[-2 * step] + p[row - 2 * step] +
                         p[-row + 2 * step] + p[2 * step] + p[row + 2 * step];
    out[i] = static_cast<uint8_t>((horizontal + vertical + 8) >> 4);
  }
}

PENUMBRA_WIDE void blend_rows(const uint8_t* __restrict from, uint8_t* __restrict to, int n,
                              float factor) {
  for (int i = 0; i < n; ++i) to[i] = blend(from[i], to[i], factor);
}

// Leaves the filtered picture in back(). False where the picture is smaller than the filter.
template <class Row>
bool filter(Canvas& canvas, int margin, const Row& filter_row) {
  const auto [height, width, channels] = canvas.shape();
  if (height <= 2 * margin || width <= 2 * margin) return false;
  const int row = canvas.shape().row(), rim = margin * channels;
  std::memcpy(canvas.back(), canvas.front(), static_cast<std::size_t>(canvas.shape().size()));
  for (int y = margin; y < height - margin; ++y)
    filter_row(canvas.front() + y * row, canvas.back() + y * row, rim, row - rim, row, channels);
  return true;
}

void mix_in(Canvas& canvas, float level) {
  if (level < 1) blend_rows(canvas.front(), canvas.back(), canvas.shape().size(), level);
  canvas.flip();
}

}  // namespace

void brightness(Canvas& canvas, float factor) {
  apply_lookup(canvas, towards_lookup(/*grey=*/0, factor));
}

void contrast(Canvas& canvas, float factor) {
  const auto [height, width, channels] = canvas.shape();
  const bool rgb = channels == 3;
  const int n = height * width * (rgb ? 1 : channels);
  const auto sum = rgb ? sum_of_luminance(canvas.front(), n) : sum_of_levels(canvas.front(), n);
  const int mean = static_cast<int>(static_cast<double>(sum) / n + 0.5);
  apply_lookup(canvas, towards_lookup(mean, factor));
}

void colour(Canvas& canvas, float factor) {
  const auto [height, width, channels] = canvas.shape();
  if (channels == 3) blend_with_luminance(canvas.front(), height * width, factor);
}

void sharpness(Canvas& canvas, float factor) {
  if (filter(canvas, 1, smooth_row))
    blend_rows(canvas.back(), canvas.front(), canvas.shape().size(), factor);
}

void smooth(Canvas& canvas, float level) {
  if (filter(canvas, 1, smooth_row)) mix_in(canvas, level);
}

void blur(Canvas& canvas, float level) {
  if (filter(canvas, 2, blur_row)) mix_in(canvas, level);
}

}  // namespace penumbra
