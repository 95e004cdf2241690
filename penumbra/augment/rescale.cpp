#include "penumbra/augment/rescale.h"

#include <algorithm>
#include <cmath>

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
struct Tap {
  int begin = 0;
  std::vector<int> weights;
};

std::vector<Tap> make_taps(int size, Span span, ResizeFilter filter) {
  std::vector<Tap> taps(static_cast<std::size_t>(size));
  const double scale = static_cast<double>(span.size) / size;  // at most 1: never shrinks
  for (int i = 0; i < size; ++i) {
    auto& tap = taps[static_cast<std::size_t>(i)];
    const double centre = (i + 0.5) * scale;
    if (filter == ResizeFilter::kNearest) {
      tap = {static_cast<int>(centre), {1 << kBits}};
      continue;
    }
    tap.begin = std::max(0, static_cast<int>(centre - support(filter) + 0.5));
    const int end = std::min(span.size, static_cast<int>(centre + support(filter) + 0.5));
    std::vector<double> weights;
    double total = 0;
    for (int k = tap.begin; k < end; ++k) {
      weights.push_back(weight(filter, k - centre + 0.5));
      total += weights.back();
    }
    for (const double w : weights)
      tap.weights.push_back(static_cast<int>(std::lround(w / total * (1 << kBits))));
  }
  return taps;
}

// One output value from source values `stride` bytes apart.
uint8_t weigh(const uint8_t* in, int stride, const Tap& tap) {
  int sum = 1 << (kBits - 1);
  for (const int w : tap.weights) sum += w * *in, in += stride;
  return static_cast<uint8_t>(std::clamp(sum >> kBits, 0, 255));
}

}  // namespace

void rescale(Canvas& canvas, double margin, ResizeFilter filter) {
  const auto [height, width, channels] = canvas.shape();
  const int row = canvas.shape().row();
  const auto across = inner(width, margin), down = inner(height, margin);
  // Columns first, rows rounded to grey levels in between, as PIL does.
  const auto columns = make_taps(width, across, filter);
  for (int y = down.begin; y < down.begin + down.size; ++y)
    for (int x = 0; x < width; ++x) {
      const auto& tap = columns[static_cast<std::size_t>(x)];
      const uint8_t* in = canvas.front() + y * row + (across.begin + tap.begin) * channels;
      for (int c = 0; c < channels; ++c)
        canvas.back()[y * row + x * channels + c] = weigh(in + c, channels, tap);
    }
  const auto lines = make_taps(height, down, filter);
  for (int y = 0; y < height; ++y) {
    const auto& tap = lines[static_cast<std::size_t>(y)];
    const uint8_t* in = canvas.back() + (down.begin + tap.begin) * row;
    for (int i = 0; i < row; ++i) canvas.front()[y * row + i] = weigh(in + i, row, tap);
  }
}

}  // namespace penumbra
