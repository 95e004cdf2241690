#include "penumbra/augment/geometry.h"

#include <algorithm>
#include <cmath>

namespace penumbra {
namespace {

// Moves one pixel. Three bytes travel as four: the fourth lands on the next pixel, which is
// written later, or in the canvas's slack.
template <int channels>
void move_pixel(const uint8_t* from, uint8_t* to) {
  std::memcpy(to, from, channels == 3 ? 4 : channels);
}

template <class Function>
void for_channels(int channels, const Function& function) {
  switch (channels) {
    case 1:
      return function(std::integral_constant<int, 1>{});
    case 2:
      return function(std::integral_constant<int, 2>{});
    case 3:
      return function(std::integral_constant<int, 3>{});
    default:
      return function(std::integral_constant<int, 4>{});
  }
}

int reflect(int i, int n) { return i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i; }

// Bits after the point of source coordinates. PIL finds nearest pixels with 16, and so do we, pixel
// for pixel; it interpolates in floating point.
constexpr int kNearestBits = 16, kBilinearBits = 32;

int64_t fixed_point(double value, int bits) {
  return static_cast<int64_t>(std::floor(std::ldexp(value, bits) + 0.5));
}

// Source coordinates of one output row in fixed point, and the columns for which they lie inside
// the picture: a line meets a rectangle in one piece.
struct RowWalk {
  int64_t x, y, step_x, step_y;  // x and y at column `begin`
  int begin, end;
};

RowWalk walk_row(Shape shape, int bits, int64_t x, int64_t y, int64_t step_x, int64_t step_y) {
  const auto inside = [&](int i) {
    const auto column = (x + i * step_x) >> bits, row = (y + i * step_y) >> bits;
    return column >= 0 && column < shape.width && row >= 0 && row < shape.height;
  };
  int begin = 0, end = shape.width;
  while (begin < end && !inside(begin)) ++begin;
  while (end > begin && !inside(end - 1)) --end;
  return {x + begin * step_x, y + begin * step_y, step_x, step_y, begin, end};
}

template <int channels>
void nearest_row(const uint8_t* in, uint8_t* out, Shape shape, RowWalk walk) {
  const int64_t row = shape.row();
  for (int i = walk.begin; i < walk.end; ++i, walk.x += walk.step_x, walk.y += walk.step_y)
    move_pixel<channels>(in + (walk.y >> kNearestBits) * row + (walk.x >> kNearestBits) * channels,
                         out + i * channels);
}

// PIL's floating-point mean is cut to a whole number; weights of 11 bits are within one grey
// level of that and fit 32 bits.
template <int channels>
void bilinear_row(const uint8_t* in, uint8_t* out, Shape shape, RowWalk walk) {
  constexpr int64_t kHalf = int64_t{1} << (kBilinearBits - 1);
  constexpr int kWeight = 1 << 11;
  const int row = shape.row();
  for (int i = walk.begin; i < walk.end; ++i, walk.x += walk.step_x, walk.y += walk.step_y) {
    const auto x = walk.x - kHalf, y = walk.y - kHalf;  // from edges to pixel centres
    const auto column = static_cast<int>(x >> kBilinearBits);
    const auto line = static_cast<int>(y >> kBilinearBits);
    const int wx = static_cast<int>(x >> (kBilinearBits - 11)) & (kWeight - 1);
    const int wy = static_cast<int>(y >> (kBilinearBits - 11)) & (kWeight - 1);
    const int left = std::max(column, 0) * channels;
    const int right = std::min(column + 1, shape.width - 1) * channels;
    const uint8_t* top = in + std::max(line, 0) * row;
    const uint8_t* bottom = in + std::min(line + 1, shape.height - 1) * row;
    for (int c = 0; c < channels; ++c) {
      const int above = top[left + c] * (kWeight - wx) + top[right + c] * wx;
      const int below = bottom[left + c] * (kWeight - wx) + bottom[right + c] * wx;
      out[i * channels + c] = static_cast<uint8_t>((above * (kWeight - wy) + below * wy) >> 22);
    }
  }
}

// Whole pixels, so rows move as they are.
void translate_whole(Canvas& canvas, int dx, int dy) {
  const auto [height, width, channels] = canvas.shape();
  const auto row = static_cast<std::size_t>(canvas.shape().row());
  const int begin = std::clamp(-dx, 0, width), end = std::clamp(width - dx, begin, width);
  const auto bytes = static_cast<std::size_t>((end - begin) * channels);
  std::memset(canvas.back(), 0, static_cast<std::size_t>(canvas.shape().size()));
  for (int y = std::max(0, -dy); y < std::min(height, height - dy) && bytes > 0; ++y)
    std::memcpy(canvas.back() + static_cast<std::size_t>(y) * row + begin * channels,
                canvas.front() + static_cast<std::size_t>(y + dy) * row + (begin + dx) * channels,
                bytes);
  canvas.flip();
}

}  // namespace

void reflect_shift(const uint8_t* in, uint8_t* out, Shape shape, int dx, int dy) {
  const int row = shape.row(), channels = shape.channels;
  const int begin = std::max(0, -dx), end = shape.width - std::max(0, dx);  // not reflected
  for (int y = 0; y < shape.height; ++y, out += row) {
    const uint8_t* line = in + reflect(y + dy, shape.height) * row;
    std::memcpy(out + begin * channels, line + (begin + dx) * channels,
                static_cast<std::size_t>((end - begin) * channels));
    const auto fill = [&](int x) {
      std::memcpy(out + x * channels, line + reflect(x + dx, shape.width) * channels,
                  static_cast<std::size_t>(channels));
    };
    for (int x = 0; x < begin; ++x) fill(x);
    for (int x = end; x < shape.width; ++x) fill(x);
  }
}

void mirror(Canvas& canvas) {
  const auto shape = canvas.shape();
  for_channels(shape.channels, [&](auto constant) {
    constexpr int channels = decltype(constant)::value;
    for (int y = 0; y < shape.height; ++y) {
      const uint8_t* in = canvas.front() + (y + 1) * shape.row();
      uint8_t* out = canvas.back() + y * shape.row();
      for (int x = 0; x < shape.width; ++x)
        move_pixel<channels>(in -= channels, out + x * channels);
    }
  });
  canvas.flip();
}

void affine(Canvas& canvas, const std::array<double, 6>& a, Interpolation interpolation) {
  const auto shape = canvas.shape();
  const bool nearest = interpolation == Interpolation::kNearest;
  const int bits = nearest ? kNearestBits : kBilinearBits;
  const auto step = [&](int i) { return fixed_point(a[static_cast<std::size_t>(i)], bits); };
  auto x = fixed_point(a[2] + a[0] / 2 + a[1] / 2, bits);
  auto y = fixed_point(a[5] + a[3] / 2 + a[4] / 2, bits);
  for_channels(shape.channels, [&](auto constant) {
    constexpr int channels = decltype(constant)::value;
    for (int line = 0; line < shape.height; ++line, x += step(1), y += step(4)) {
      uint8_t* out = canvas.back() + line * shape.row();
      const auto walk = walk_row(shape, bits, x, y, step(0), step(3));
      std::memset(out, 0, static_cast<std::size_t>(walk.begin * channels));
      if (nearest)
        nearest_row<channels>(canvas.front(), out, shape, walk);
      else
        bilinear_row<channels>(canvas.front(), out, shape, walk);
      std::memset(out + walk.end * channels, 0,
                  static_cast<std::size_t>((shape.width - walk.end) * channels));
    }
  });
  canvas.flip();
}

void rotate(Canvas& canvas, double degrees, Interpolation interpolation) {
  if (degrees == 0) return;
  const double angle = -degrees * 3.14159265358979323846 / 180;
  const double c = std::cos(angle), s = std::sin(angle);
  const double x = canvas.shape().width / 2.0, y = canvas.shape().height / 2.0;
  affine(canvas, {c, s, x - c * x - s * y, -s, c, y + s * x - c * y}, interpolation);
}

void shear_x(Canvas& canvas, double slope, Interpolation interpolation) {
  affine(canvas, {1, slope, 0, 0, 1, 0}, interpolation);
}

void shear_y(Canvas& canvas, double slope, Interpolation interpolation) {
  affine(canvas, {1, 0, 0, slope, 1, 0}, interpolation);
}

void translate(Canvas& canvas, double dx, double dy, Interpolation interpolation) {
  if (interpolation == Interpolation::kBilinear)
    affine(canvas, {1, 0, dx, 0, 1, dy}, interpolation);
  else
    translate_whole(canvas, static_cast<int>(std::floor(dx + 0.5)),
                    static_cast<int>(std::floor(dy + 0.5)));
}

void cutout(Canvas& canvas, int x0, int y0, int x1, int y1, const std::array<uint8_t, 4>& paint) {
  const auto [height, width, channels] = canvas.shape();
  x0 = std::max(x0, 0), y0 = std::max(y0, 0), x1 = std::min(x1, width), y1 = std::min(y1, height);
  for (int y = y0; y < y1; ++y) {
    uint8_t* pixel = canvas.front() + y * canvas.shape().row() + x0 * channels;
    for (int x = x0; x < x1; ++x)
      for (int c = 0; c < channels; ++c) *pixel++ = paint[static_cast<std::size_t>(c)];
  }
}

}  // namespace penumbra
