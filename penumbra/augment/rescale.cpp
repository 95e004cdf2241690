#include "penumbra/augment/rescale.h"

#include <algorithm>
#include <cmath>

#include "penumbra/core/wide_loops.h"

namespace penumbra {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr int kBits = 22;  // of a weight, after the point

double sinc(double x) { return x == 0 ? 1 : std::sin(x * kPi) / (x * kPi); }

double support(ResizeFilter filter) {
  switch (filter) {
    case ResizeFilter::kLanczos:
      return 3;
    case ResizeFilter::kBicubic:
      return 2;
    case ResizeFilter::kBox:
      return 0.5;
    default:
      return 1;
  }
}

double weight(ResizeFilter filter, double x) {
  const double d = std::abs(x);
  switch (filter) {
    case ResizeFilter::kLanczos:
      return d < 3 ? sinc(x) * sinc(x / 3) : 0;
    case ResizeFilter::kBicubic:  // a = -1/2
      if (d < 1) return (1.5 * d - 2.5) * d * d + 1;
      return d < 2 ? ((-0.5 * d + 2.5) * d - 4) * d + 2 : 0;
    case ResizeFilter::kBox:
      return x > -0.5 && x <= 0.5 ? 1 : 0;
    case ResizeFilter::kHamming:
      return d < 1 ? sinc(x) * (0.54 + 0.46 * std::cos(x * kPi)) : 0;
    default:
      return d < 1 ? 1 - d : 0;
  }
}

// A stretch of the picture along one axis.
struct Span {
  int begin, size;
};

// The inner part, its ends rounded half to even as Python rounds.
Span inner(int size, double margin) {
  const int begin = static_cast<int>(std::nearbyint(margin * size));
  const int end = static_cast<int>(std::nearbyint(size * (1 - margin)));
  return {begin, std::max(1, end - begin)};
}

// Which source pixels, counted from the span's beginning, make up each output pixel.
struct Taps {
  int most = 0;              // weights per output pixel, the unused ones 0
  std::vector<int> begin;    // first source pixel of each output pixel
  std::vector<int> count;    // of source pixels
  std::vector<int> weights;  // `most` for each output pixel, 22 bits after the point
};

Taps make_taps(int size, Span span, ResizeFilter filter) {
  const double reach = support(filter), scale = static_cast<double>(span.size) / size;
  Taps taps;
  taps.most = 2 * static_cast<int>(std::ceil(reach)) + 1;  // scale is at most 1: it never shrinks
  taps.weights.resize(static_cast<std::size_t>(size * taps.most));
  double nearest = scale / 2;  // summed up as PIL does, whose rounding decides at pixel edges
  for (int i = 0; i < size; ++i, nearest += scale) {
    const double centre = (i + 0.5) * scale;
    int* weights = taps.weights.data() + i * taps.most;
    if (filter == ResizeFilter::kNearest) {
      taps.begin.push_back(std::min(static_cast<int>(nearest), span.size - 1));
      taps.count.push_back(1);
      weights[0] = 1 << kBits;
      continue;
    }
    const int begin = std::max(0, static_cast<int>(centre - reach + 0.5));
    const int end = std::min(span.size, static_cast<int>(centre + reach + 0.5));
    double values[7], total = 0;
    for (int k = 0; k < end - begin; ++k)
      total += values[k] = weight(filter, begin + k - centre + 0.5);
    for (int k = 0; k < end - begin; ++k)
      weights[k] = static_cast<int>(std::lround(values[k] / total * (1 << kBits)));
    taps.begin.push_back(begin);
    taps.count.push_back(end - begin);
  }
  return taps;
}

inline uint8_t rounded(int sum) { return static_cast<uint8_t>(std::clamp(sum >> kBits, 0, 255)); }

// One output row from `count` source rows that lie `row` bytes apart.
PENUMBRA_WIDE void weigh_rows(const uint8_t* __restrict in, uint8_t* __restrict out, int row,
                              int count, const int* __restrict weights, int* __restrict sums) {
  for (int i = 0; i < row; ++i) sums[i] = 1 << (kBits - 1);
  for (int k = 0; k < count; ++k)
    for (int i = 0; i < row; ++i) sums[i] += weights[k] * in[k * row + i];
  for (int i = 0; i < row; ++i) out[i] = rounded(sums[i]);
}

}  // namespace

void rescale(Canvas& canvas, double margin, ResizeFilter filter) {
  const auto [height, width, channels] = canvas.shape();
  const int row = canvas.shape().row();
  const auto across = inner(width, margin), down = inner(height, margin);
  // Columns first, rounded to grey levels in between, as PIL does.
  const auto columns = make_taps(width, across, filter);
  for (int y = down.begin; y < down.begin + down.size; ++y) {
    const uint8_t* line = canvas.front() + y * row + across.begin * channels;
    uint8_t* out = canvas.back() + y * row;
    for (int x = 0; x < width; ++x) {
      const auto i = static_cast<std::size_t>(x);
      const int* weights = columns.weights.data() + x * columns.most;
      for (int c = 0; c < channels; ++c) {
        const uint8_t* in = line + columns.begin[i] * channels + c;
        int sum = 1 << (kBits - 1);
        for (int k = 0; k < columns.count[i]; ++k) sum += weights[k] * in[k * channels];
        *out++ = rounded(sum);
      }
    }
  }
  const auto lines = make_taps(height, down, filter);
  std::vector<int> sums(static_cast<std::size_t>(row));
  for (int y = 0; y < height; ++y) {
    const auto i = static_cast<std::size_t>(y);
    weigh_rows(canvas.back() + (down.begin + lines.begin[i]) * row, canvas.front() + y * row, row,
               lines.count[i], lines.weights.data() + y * lines.most, sums.data());
  }
}

}  // namespace penumbra
