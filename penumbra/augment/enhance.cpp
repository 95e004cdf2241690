#include "penumbra/augment/enhance.h"

#include "penumbra/augment/levels.h"
#include "penumbra/core/wide_loops.h"
#include "penumbra/data/picture.h"

namespace penumbra {
namespace {

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

// The sum of 3x3 pixels with the middle counted five times, divided by 13 and rounded.
// 13 being odd, a half never occurs, so this is PIL's floating-point result; 5042 / 65536 is exact
// for all sums that occur, and is one instruction for a vector of 16-bit numbers.
PENUMBRA_WIDE void smooth_run(const uint8_t* __restrict in, uint8_t* __restrict out, int begin,
                              int end, int row, int step) {
  const uint8_t *above = in - row, *below = in + row;
  for (int i = begin; i < end; ++i) {
    const auto sum = static_cast<uint16_t>(above[i - step] + above[i] + above[i + step] +
                                           in[i - step] + 5 * in[i] + in[i + step] +
                                           below[i - step] + below[i] + below[i + step] + 6);
    out[i] = static_cast<uint8_t>((static_cast<uint32_t>(sum) * 5042) >> 16);
  }
}

// The 16 pixels on the rim of 5x5, their mean rounded.
PENUMBRA_WIDE void blur_run(const uint8_t* __restrict in, uint8_t* __restrict out, int begin,
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

PENUMBRA_WIDE void blend_with_grey(uint8_t* pixels, int n, int grey, float factor) {
  for (int i = 0; i < n; ++i) pixels[i] = blend(grey, pixels[i], factor);
}

// Leaves the filtered picture in back(). False where the picture is smaller than the filter.
template <class Run>
bool filter(Canvas& canvas, int margin, const Run& filter_run) {
  const auto [height, width, channels] = canvas.shape();
  if (height <= 2 * margin || width <= 2 * margin) return false;
  const int row = canvas.shape().row(), rim = margin * channels, size = canvas.shape().size();
  const uint8_t* in = canvas.front();
  uint8_t* out = canvas.back();
  // All rows in one run, straight across the left and right border, which is then put back.
  const int begin = margin * row + rim, end = size - begin;
  filter_run(in, out, begin, end, row, channels);
  std::memcpy(out, in, static_cast<std::size_t>(begin));
  std::memcpy(out + end, in + end, static_cast<std::size_t>(begin));
  for (int y = margin + 1; y < height - margin; ++y)
    std::memcpy(out + y * row - rim, in + y * row - rim, static_cast<std::size_t>(2 * rim));
  return true;
}

void mix_in(Canvas& canvas, float level) {
  if (level < 1) blend_rows(canvas.front(), canvas.back(), canvas.shape().size(), level);
  canvas.flip();
}

}  // namespace

void brightness(Canvas& canvas, float factor) {
  blend_with_grey(canvas.front(), canvas.shape().size(), /*grey=*/0, factor);
}

void contrast(Canvas& canvas, float factor) {
  const auto [height, width, channels] = canvas.shape();
  const bool rgb = channels == 3;
  const int n = height * width * (rgb ? 1 : channels);
  const auto sum = rgb ? sum_of_luminance(canvas.front(), n) : sum_of_levels(canvas.front(), n);
  const int mean = static_cast<int>(static_cast<double>(sum) / n + 0.5);
  blend_with_grey(canvas.front(), canvas.shape().size(), mean, factor);
}

void colour(Canvas& canvas, float factor) {
  const auto [height, width, channels] = canvas.shape();
  if (channels == 3) blend_with_luminance(canvas.front(), height * width, factor);
}

void sharpness(Canvas& canvas, float factor) {
  if (filter(canvas, 1, smooth_run))
    blend_rows(canvas.back(), canvas.front(), canvas.shape().size(), factor);
}

void smooth(Canvas& canvas, float level) {
  if (filter(canvas, 1, smooth_run)) mix_in(canvas, level);
}

void blur(Canvas& canvas, float level) {
  if (filter(canvas, 2, blur_run)) mix_in(canvas, level);
}

}  // namespace penumbra
