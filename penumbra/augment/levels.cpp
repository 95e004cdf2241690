#include "penumbra/augment/levels.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "penumbra/core/wide_loops.h"

namespace penumbra {
namespace {

constexpr int kMostChannels = 4;
using Lookup = std::array<uint8_t, 256>;  // what becomes of each grey level
using Histogram = std::array<int, 256>;
using Histograms = std::array<Histogram, kMostChannels>;

template <int channels>
void count(const uint8_t* pixels, int n, Histograms& histograms) {
  for (int i = 0; i < n; i += channels)
    for (int c = 0; c < channels; ++c) ++histograms[static_cast<std::size_t>(c)][pixels[i + c]];
}

Histograms count(Canvas& canvas) {
  Histograms histograms{};
  const auto n = canvas.shape().size();
  switch (canvas.shape().channels) {
    case 1:
      count<1>(canvas.front(), n, histograms);
      break;
    case 2:
      count<2>(canvas.front(), n, histograms);
      break;
    case 3:
      count<3>(canvas.front(), n, histograms);
      break;
    default:
      count<4>(canvas.front(), n, histograms);
      break;
  }
  return histograms;
}

Lookup identity_lookup() {
  Lookup lookup;
  for (int v = 0; v < 256; ++v) lookup[static_cast<std::size_t>(v)] = static_cast<uint8_t>(v);
  return lookup;
}

// v -> 255 (v - lowest) / (highest - lowest), cut to whole numbers as PIL does
Lookup autocontrast_lookup(const Histogram& histogram) {
  auto lookup = identity_lookup();
  int lowest = 0, highest = 255;
  while (lowest < 255 && histogram[static_cast<std::size_t>(lowest)] == 0) ++lowest;
  while (highest > 0 && histogram[static_cast<std::size_t>(highest)] == 0) --highest;
  if (highest <= lowest) return lookup;
  const double scale = 255.0 / (highest - lowest), offset = -lowest * scale;
  for (int v = 0; v < 256; ++v)
    lookup[static_cast<std::size_t>(v)] =
        static_cast<uint8_t>(std::clamp(static_cast<int>(v * scale + offset), 0, 255));
  return lookup;
}

// v -> (step / 2 + number of pixels below v) / step, step = pixels not of the highest level / 255
Lookup equalize_lookup(const Histogram& histogram) {
  auto lookup = identity_lookup();
  int total = 0, last = 0;
  for (const int n : histogram)
    if (n > 0) total += n, last = n;
  const int step = (total - last) / 255;
  if (step == 0) return lookup;
  // The quotient is counted up: it takes at most 255 steps over all levels, divisions are slower.
  int rest = step / 2, quotient = 0;
  for (std::size_t v = 0; v < 256; ++v) {
    for (; rest >= step; rest -= step) ++quotient;
    lookup[v] = static_cast<uint8_t>(std::min(quotient, 255));
    rest += histogram[v];
  }
  return lookup;
}

template <int channels>
void apply(uint8_t* pixels, int n, const std::array<Lookup, kMostChannels>& lookups) {
  for (int i = 0; i < n; i += channels)
    for (int c = 0; c < channels; ++c)
      pixels[i + c] = lookups[static_cast<std::size_t>(c)][pixels[i + c]];
}

template <class MakeLookup>
void apply_by_channel(Canvas& canvas, float level, const MakeLookup& make) {
  const auto histograms = count(canvas);
  std::array<Lookup, kMostChannels> lookups;
  for (std::size_t c = 0; c < static_cast<std::size_t>(canvas.shape().channels); ++c) {
    lookups[c] = make(histograms[c]);
    if (level < 1)
      for (int v = 0; v < 256; ++v) {
        auto& target = lookups[c][static_cast<std::size_t>(v)];
        target = blend(v, target, level);
      }
  }
  const auto n = canvas.shape().size();
  switch (canvas.shape().channels) {
    case 1:
      return apply<1>(canvas.front(), n, lookups);
    case 2:
      return apply<2>(canvas.front(), n, lookups);
    case 3:
      return apply<3>(canvas.front(), n, lookups);
    default:
      return apply<4>(canvas.front(), n, lookups);
  }
}

PENUMBRA_WIDE void keep_bits(uint8_t* pixels, int n, uint8_t mask) {
  for (int i = 0; i < n; ++i) pixels[i] &= mask;
}

PENUMBRA_WIDE void invert_from(uint8_t* pixels, int n, int threshold) {
  for (int i = 0; i < n; ++i)
    pixels[i] = static_cast<uint8_t>(pixels[i] < threshold ? pixels[i] : 255 - pixels[i]);
}

PENUMBRA_WIDE void blend_with_negative(uint8_t* pixels, int n, float level) {
  for (int i = 0; i < n; ++i) pixels[i] = blend(pixels[i], 255 - pixels[i], level);
}

}  // namespace

void posterize(Canvas& canvas, int bits) {
  const int mask = 0xff << (8 - std::clamp(bits, 0, 8));
  keep_bits(canvas.front(), canvas.shape().size(), static_cast<uint8_t>(mask));
}

void solarize(Canvas& canvas, double threshold) {
  const int whole = static_cast<int>(std::ceil(std::clamp(threshold, 0.0, 256.0)));
  invert_from(canvas.front(), canvas.shape().size(), whole);
}

void invert(Canvas& canvas, float level) {
  blend_with_negative(canvas.front(), canvas.shape().size(), level);
}

void autocontrast(Canvas& canvas, float level) {
  apply_by_channel(canvas, level, autocontrast_lookup);
}

void equalize(Canvas& canvas, float level) { apply_by_channel(canvas, level, equalize_lookup); }

}  // namespace penumbra
