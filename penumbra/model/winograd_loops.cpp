#include "penumbra/model/winograd_loops.h"

#include <algorithm>

namespace penumbra {
namespace {

#define PENUMBRA_INLINE inline __attribute__((always_inline))

using Vector = float __attribute__((vector_size(4 * kVector)));
using Anywhere = float __attribute__((vector_size(4 * kVector), aligned(4)));

PENUMBRA_INLINE Vector load(const float* at) { return *reinterpret_cast<const Anywhere*>(at); }
PENUMBRA_INLINE void store(float* at, Vector value) { *reinterpret_cast<Anywhere*>(at) = value; }

// One line of each transform. The points are 0, 1, -1, 2, -2 and infinity: Lavin and Gray 2015,
// https://arxiv.org/abs/1509.09308, section 4.3.

// B^T d
struct InputLine {
  static constexpr int kFrom = 6, kTo = 6;
  static PENUMBRA_INLINE void apply(const Vector (&d)[6], Vector (&made)[6]) {
    const Vector a = d[4] - 4 * d[2], b = d[3] - 4 * d[1];
    const Vector c = d[4] - d[2], e = 2 * (d[3] - d[1]);
    made[0] = 4 * d[0] - 5 * d[2] + d[4];
    made[1] = a + b;
    made[2] = a - b;
    made[3] = c + e;
    made[4] = c - e;
    made[5] = 4 * d[1] - 5 * d[3] + d[5];
  }
};

// A^T m
struct OutputLine {
  static constexpr int kFrom = 6, kTo = 4;
  static PENUMBRA_INLINE void apply(const Vector (&m)[6], Vector (&made)[4]) {
    const Vector a = m[1] + m[2], b = m[1] - m[2], c = m[3] + m[4], e = m[3] - m[4];
    made[0] = m[0] + a + c;
    made[1] = b + 2 * e;
    made[2] = a + 4 * c;
    made[3] = b + 8 * e + m[5];
  }
};

// A y
struct GradientLine {
  static constexpr int kFrom = 4, kTo = 6;
  static PENUMBRA_INLINE void apply(const Vector (&y)[4], Vector (&made)[6]) {
    const Vector a = y[0] + y[2], b = y[1] + y[3];
    const Vector c = y[0] + 4 * y[2], e = 2 * y[1] + 8 * y[3];
    made[0] = y[0];
    made[1] = a + b;
    made[2] = a - b;
    made[3] = c + e;
    made[4] = c - e;
    made[5] = y[3];
  }
};

// G w
struct WeightLine {
  static constexpr int kFrom = 3, kTo = 6;
  static PENUMBRA_INLINE void apply(const Vector (&w)[3], Vector (&made)[6]) {
    const Vector a = (w[0] + w[2]) * (1.0F / 6), b = w[1] * (1.0F / 6);
    const Vector c = w[0] * (1.0F / 24) + w[2] * (1.0F / 6), e = w[1] * (1.0F / 12);
    made[0] = w[0] * 0.25F;
    made[1] = -a - b;
    made[2] = b - a;
    made[3] = c + e;
    made[4] = c - e;
    made[5] = w[2];
  }
};

// G^T u
struct WeightGradientLine {
  static constexpr int kFrom = 6, kTo = 3;
  static PENUMBRA_INLINE void apply(const Vector (&u)[6], Vector (&made)[3]) {
    const Vector a = u[1] + u[2], c = u[3] + u[4];
    made[0] = u[0] * 0.25F - a * (1.0F / 6) + c * (1.0F / 24);
    made[1] = (u[2] - u[1]) * (1.0F / 6) + (u[3] - u[4]) * (1.0F / 12);
    made[2] = (c - a) * (1.0F / 6) + u[5];
  }
};

// The line over columns, then over rows: kFrom x kFrom vectors become kTo x kTo.
template <class Line, class Get, class Put>
PENUMBRA_INLINE void transform(const Get& get, const Put& put) {
  constexpr int kFrom = Line::kFrom, kTo = Line::kTo;
  Vector half[kTo][kFrom];
  for (int j = 0; j < kFrom; ++j) {
    Vector column[kFrom], made[kTo];
    for (int i = 0; i < kFrom; ++i) column[i] = get(i, j);
    Line::apply(column, made);
    for (int i = 0; i < kTo; ++i) half[i][j] = made[i];
  }
  for (int i = 0; i < kTo; ++i) {
    Vector made[kTo];
    Line::apply(half[i], made);
    for (int j = 0; j < kTo; ++j) put(i, j, made[j]);
  }
}

// [36, tiles, channels], the 36 a little apart: at a power of two they would share cache lines.
struct Points {
  float* values;
  int64_t channels, step;
  Points(float* start, int64_t tiles, int64_t channels_of)
      : values(start), channels(channels_of), step(tiles * channels_of + 16) {}
  float* end() const { return values + kPoints * step; }
};

// Where the kSide x kSide pixels of a tile lie; those outside of the map are at `outside`. A tile
// of inputs begins one pixel before that of its outputs.
template <int kSide, class Float>
PENUMBRA_INLINE void find_pixels(Float* maps, int64_t channels, const TiledMaps& shape,
                                 int64_t tile, Float* outside, Float* (&at)[kSide][kSide]) {
  const auto across = shape.across(), down = shape.down();
  const auto image = tile / (across * down);
  const auto top = tile / across % down * 4 - (kSide == 6), left = tile % across * 4 - (kSide == 6);
  for (int64_t i = 0; i < kSide; ++i)
    for (int64_t j = 0; j < kSide; ++j) {
      const auto y = top + i, x = left + j;
      const bool inside = y >= 0 && y < shape.height && x >= 0 && x < shape.width;
      at[i][j] =
          inside ? maps + ((image * shape.height + y) * shape.width + x) * channels : outside;
    }
}

// The tiles of `maps`, transformed; `zeros` stands for what is outside.
template <class Line>
void to_points(const float* maps, const TiledMaps& shape, TileRange range, const float* zeros,
               const Points& made) {
  constexpr int kSide = Line::kFrom;
  const float* at[kSide][kSide];
  for (int64_t t = 0; t < range.count; ++t) {
    find_pixels(maps, made.channels, shape, range.first + t, zeros, at);
    for (int64_t c = 0; c < made.channels; c += kVector) {
      float* target = made.values + t * made.channels + c;
      transform<Line>(
          [&](int i, int j) { return load(at[i][j] + c); },
          [&](int i, int j, Vector value) { store(target + (i * 6 + j) * made.step, value); });
    }
  }
}

// What lies outside of the maps goes to `nowhere`.
void points_to_outputs(const Points& points, const TiledMaps& shape, TileRange range, float* maps,
                       float* nowhere) {
  float* at[4][4];
  for (int64_t t = 0; t < range.count; ++t) {
    find_pixels(maps, points.channels, shape, range.first + t, nowhere, at);
    for (int64_t c = 0; c < points.channels; c += kVector) {
      const float* source = points.values + t * points.channels + c;
      transform<OutputLine>([&](int i, int j) { return load(source + (i * 6 + j) * points.step); },
                            [&](int i, int j, Vector value) { store(at[i][j] + c, value); });
    }
  }
}

// A matrix of which element (row, k) is values[row * row_step + k * k_step].
struct Left {
  const float* values;
  int64_t row_step, k_step;
};
struct Right {
  const float* values;  // columns of (., k) lie together
  int64_t k_step;
};

// kRows x (kVectors * 8) elements of target (+)= left right, all sums in registers.
template <int kRows, int kVectors, bool kAdd>
PENUMBRA_INLINE void multiply_few(Left left, Right right, int64_t depth, float* target,
                                  int64_t target_step) {
  Vector sums[kRows][kVectors];
  for (int r = 0; r < kRows; ++r)
    for (int n = 0; n < kVectors; ++n)
      sums[r][n] = kAdd ? load(target + r * target_step + n * kVector) : Vector{};
  for (int64_t k = 0; k < depth; ++k) {
    Vector row[kVectors];
    for (int n = 0; n < kVectors; ++n) row[n] = load(right.values + k * right.k_step + n * kVector);
    for (int r = 0; r < kRows; ++r) {
      const float factor = left.values[r * left.row_step + k * left.k_step];
      for (int n = 0; n < kVectors; ++n) sums[r][n] += factor * row[n];
    }
  }
  for (int r = 0; r < kRows; ++r)
    for (int n = 0; n < kVectors; ++n) store(target + r * target_step + n * kVector, sums[r][n]);
}

// Six rows of two vectors fill the sixteen registers: twelve sums, two of the right, one factor.
constexpr int64_t kRowsAtOnce = 6, kPanel = 2 * kVector;

template <int kVectors, bool kAdd>
void multiply_panel(Left left, int64_t rows, Right right, int64_t depth, float* target,
                    int64_t target_step) {
  for (; rows >= kRowsAtOnce; rows -= kRowsAtOnce) {
    multiply_few<kRowsAtOnce, kVectors, kAdd>(left, right, depth, target, target_step);
    left.values += kRowsAtOnce * left.row_step;
    target += kRowsAtOnce * target_step;
  }
  switch (rows) {
    case 5:
      return multiply_few<5, kVectors, kAdd>(left, right, depth, target, target_step);
    case 4:
      return multiply_few<4, kVectors, kAdd>(left, right, depth, target, target_step);
    case 3:
      return multiply_few<3, kVectors, kAdd>(left, right, depth, target, target_step);
    case 2:
      return multiply_few<2, kVectors, kAdd>(left, right, depth, target, target_step);
    case 1:
      return multiply_few<1, kVectors, kAdd>(left, right, depth, target, target_step);
    default:
      return;
  }
}

// target [rows, columns] (+)= left [rows, depth] right [depth, columns]; right(first column) is
// the panel of 16 columns, or of the last 8, that begins there.
template <bool kAdd, class PanelOf>
PENUMBRA_INLINE void multiply(Left left, int64_t rows, const PanelOf& right, int64_t depth,
                              float* target, int64_t columns) {
  int64_t column = 0;
  for (; column + kPanel <= columns; column += kPanel)
    multiply_panel<2, kAdd>(left, rows, right(column), depth, target + column, columns);
  if (column < columns)
    multiply_panel<1, kAdd>(left, rows, right(column), depth, target + column, columns);
}

int64_t panel_width(int64_t column, int64_t columns) { return std::min(kPanel, columns - column); }

}  // namespace

int64_t winograd_scratch(const TiledMaps& maps, int64_t tiles) {
  const Points in(nullptr, tiles, maps.in), out(nullptr, tiles, maps.out);
  return kPoints * (in.step + out.step) + std::max(maps.in, maps.out);
}

void winograd_weights(const float* weights, int64_t in, int64_t out, int64_t first, int64_t last,
                      float* made) {
  for (int64_t i = first; i < last; ++i)
    for (int64_t o = 0; o < out; o += kVector) {
      const auto panel = o / kPanel * kPanel;
      float* target = made + panel * in + i * panel_width(panel, out) + (o - panel);
      transform<WeightLine>(
          [&](int y, int x) { return load(weights + ((y * 3 + x) * in + i) * out + o); },
          [&](int y, int x, Vector value) { store(target + (y * 6 + x) * in * out, value); });
    }
}

void winograd_convolve(const float* inputs, const float* weights, float* outputs,
                       const TiledMaps& maps, TileRange range, float* scratch) {
  const Points seen(scratch, range.count, maps.in);
  const Points made(seen.end(), range.count, maps.out);
  float* outside = made.end();
  std::fill_n(outside, maps.in, 0.0F);
  to_points<InputLine>(inputs, maps, range, outside, seen);
  for (int64_t point = 0; point < kPoints; ++point) {
    const float* panels = weights + point * maps.in * maps.out;
    const auto panel = [&](int64_t column) {
      return Right{panels + column * maps.in, panel_width(column, maps.out)};
    };
    multiply<false>({seen.values + point * seen.step, maps.in, 1}, range.count, panel, maps.in,
                    made.values + point * made.step, maps.out);
  }
  points_to_outputs(made, maps, range, outputs, outside);
}

void winograd_add_gradients(const float* inputs, const float* gradients, float* sums,
                            const TiledMaps& maps, TileRange range, float* scratch) {
  const Points seen(scratch, range.count, maps.in);
  const Points wanted(seen.end(), range.count, maps.out);
  float* outside = wanted.end();
  std::fill_n(outside, std::max(maps.in, maps.out), 0.0F);
  to_points<InputLine>(inputs, maps, range, outside, seen);
  to_points<GradientLine>(gradients, maps, range, outside, wanted);
  for (int64_t point = 0; point < kPoints; ++point) {
    const float* rows = wanted.values + point * wanted.step;
    const auto panel = [&](int64_t column) { return Right{rows + column, maps.out}; };
    multiply<true>({seen.values + point * seen.step, 1, maps.in}, maps.in, panel, range.count,
                   sums + point * maps.in * maps.out, maps.out);
  }
}

void winograd_weight_gradients(const float* sums, int64_t in, int64_t out, int64_t first,
                               int64_t last, float* made) {
  for (int64_t i = first; i < last; ++i)
    for (int64_t o = 0; o < out; o += kVector)
      transform<WeightGradientLine>(
          [&](int y, int x) { return load(sums + ((y * 6 + x) * in + i) * out + o); },
          [&](int y, int x, Vector value) {
            store(made + ((y * 3 + x) * in + i) * out + o, value);
          });
}

}  // namespace penumbra
