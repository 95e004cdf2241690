#include "penumbra/model/winograd_loops.h"

#include <algorithm>

#include "penumbra/model/winograd_tiles.h"

namespace penumbra {
namespace {

// A matrix of which element (row, k) is values[row * row_step + k * k_step].
struct Left {
  const float* values;
  int64_t row_step, k_step;
};
struct Right {
  const float* values;  // columns of (., k) lie together
  int64_t k_step;
};

// kRows x (kVectors * kVector) elements of target (+)= left right, all sums in registers.
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

// Six rows of two vectors fill sixteen registers: twelve sums, two of the right, one factor.
// Vectors of sixteen floats come with thirty-two.
constexpr int kRowsAtOnce = kVector == 16 ? 12 : 6;
constexpr int64_t kPanel = 2 * kVector;

// The last rows, kMost or fewer.
template <int kMost, int kVectors, bool kAdd>
PENUMBRA_INLINE void multiply_rest(Left left, int64_t rows, Right right, int64_t depth,
                                   float* target, int64_t target_step) {
  if constexpr (kMost > 0) {
    if (rows == kMost)
      multiply_few<kMost, kVectors, kAdd>(left, right, depth, target, target_step);
    else
      multiply_rest<kMost - 1, kVectors, kAdd>(left, rows, right, depth, target, target_step);
  }
}

template <int kVectors, bool kAdd>
void multiply_panel(Left left, int64_t rows, Right right, int64_t depth, float* target,
                    int64_t target_step) {
  for (; rows >= kRowsAtOnce; rows -= kRowsAtOnce) {
    multiply_few<kRowsAtOnce, kVectors, kAdd>(left, right, depth, target, target_step);
    left.values += kRowsAtOnce * left.row_step;
    target += kRowsAtOnce * target_step;
  }
  multiply_rest<kRowsAtOnce - 1, kVectors, kAdd>(left, rows, right, depth, target, target_step);
}

// target [rows, columns] (+)= left [rows, depth] right [depth, columns]; right(first column) is
// the panel of two vectors of columns, or of the last one, that begins there.
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

// The scratch that a range of tiles has.
struct Work {
  Points in, out;
  float* outside;  // zeros to begin with

  Work(const TiledMaps& maps, TileRange range, float* scratch)
      : in(scratch, range.count, maps.in),
        out(in.end(), range.count, maps.out),
        outside(out.end()) {
    std::fill_n(outside, std::max(maps.in, maps.out), 0.0F);
  }
};

// out = in U, point by point.
void multiply_points(const float* weights, const TiledMaps& maps, TileRange range,
                     const Work& work) {
  for (int64_t point = 0; point < kPoints; ++point) {
    const float* panels = weights + point * point_step(maps.in, maps.all_out);
    const auto panel = [&](int64_t column) {
      return Right{panels + column * maps.in, panel_width(column, maps.out)};
    };
    multiply<false>({work.in.values + point * work.in.step, maps.in, 1}, range.count, panel,
                    maps.in, work.out.values + point * work.out.step, maps.out);
  }
}

// sums (+)= in^T out, point by point.
template <bool kAdd>
void add_products(const Work& work, const TiledMaps& maps, TileRange range, float* sums) {
  for (int64_t point = 0; point < kPoints; ++point) {
    const float* rows = work.out.values + point * work.out.step;
    const auto panel = [&](int64_t column) { return Right{rows + column, maps.out}; };
    multiply<kAdd>({work.in.values + point * work.in.step, 1, maps.in}, maps.in, panel, range.count,
                   sums + point * point_step(maps.in, maps.out), maps.out);
  }
}
void add_products(const Work& work, const TiledMaps& maps, TileRange range, PointSums sums) {
  if (sums.begun)
    add_products<true>(work, maps, range, sums.values);
  else
    add_products<false>(work, maps, range, sums.values);
}

int64_t scratch_of(const TiledMaps& maps, int64_t tiles) {
  const Points in(nullptr, tiles, maps.in), out(nullptr, tiles, maps.out);
  return kPoints * (in.step + out.step) + std::max(maps.in, maps.out);
}

void make_weights(const float* weights, int64_t in, int64_t out, int64_t first, int64_t last,
                  float* made) {
  for (int64_t i = first; i < last; ++i)
    for (int64_t o = 0; o < out; o += kVector) {
      const auto panel = o / kPanel * kPanel;
      float* target = made + panel * in + i * panel_width(panel, out) + (o - panel);
      transform<WeightLine>(
          [&](int y, int x) { return load(weights + ((y * 3 + x) * in + i) * out + o); },
          [&](int y, int x, Vector value) {
            store(target + (y * 6 + x) * point_step(in, out), value);
          });
    }
}

void convolve(const float* inputs, const float* weights, float* outputs, Finish finish,
              const TiledMaps& maps, TileRange range, float* scratch) {
  const Work work(maps, range, scratch);
  to_points<InputLine>(FromMap<6>(inputs, maps, maps.in, work.outside), range, work.in);
  multiply_points(weights, maps, range, work);
  if (finish.scale == nullptr)
    points_to_outputs(work.out, maps, range, Unchanged{}, outputs, work.outside);
  else
    points_to_outputs(work.out, maps, range, Finished{finish}, outputs, work.outside);
}

void convolve_pooled(const float* inputs, const float* weights, float* outputs, Finish finish,
                     uint8_t* places, const TiledMaps& maps, TileRange range, float* scratch) {
  const Work work(maps, range, scratch);
  to_points<InputLine>(FromMap<6>(inputs, maps, maps.in, work.outside), range, work.in);
  multiply_points(weights, maps, range, work);
  if (finish.scale == nullptr)
    points_to_pooled(work.out, maps, range, Unchanged{}, outputs, places);
  else
    points_to_pooled(work.out, maps, range, Finished{finish}, outputs, places);
}

void convolve_unpooled(const PooledGradients& gradients, const float* weights, float* outputs,
                       const TiledMaps& maps, TileRange range, float* scratch) {
  const Work work(maps, range, scratch);
  to_points<InputLine>(FromPooled<6>(gradients, maps, maps.in, work.outside), range, work.in);
  multiply_points(weights, maps, range, work);
  points_to_outputs(work.out, maps, range, Unchanged{}, outputs, work.outside);
}

void add_gradients(const float* inputs, const float* gradients, PointSums sums,
                   const TiledMaps& maps, TileRange range, float* scratch) {
  const Work work(maps, range, scratch);
  to_points<InputLine>(FromMap<6>(inputs, maps, maps.in, work.outside), range, work.in);
  to_points<GradientLine>(FromMap<4>(gradients, maps, maps.out, work.outside), range, work.out);
  add_products(work, maps, range, sums);
}

void add_gradients_unpooled(const float* inputs, const PooledGradients& gradients, PointSums sums,
                            const TiledMaps& maps, TileRange range, float* scratch) {
  const Work work(maps, range, scratch);
  to_points<InputLine>(FromMap<6>(inputs, maps, maps.in, work.outside), range, work.in);
  to_points<GradientLine>(FromPooled<4>(gradients, maps, maps.out, work.outside), range, work.out);
  add_products(work, maps, range, sums);
}

void make_weight_gradients(const float* sums, int64_t parts, int64_t in, int64_t out, int64_t first,
                           int64_t last, float* made) {
  const auto part_step = kPoints * point_step(in, out);
  for (int64_t i = first; i < last; ++i)
    for (int64_t o = 0; o < out; o += kVector)
      transform<WeightGradientLine>(
          [&](int y, int x) {
            const float* at = sums + (y * 6 + x) * point_step(in, out) + i * out + o;
            Vector sum = load(at);
            for (int64_t part = 1; part < parts; ++part) sum += load(at + part * part_step);
            return sum;
          },
          [&](int y, int x, Vector value) {
            store(made + ((y * 3 + x) * in + i) * out + o, value);
          });
}

constexpr WinogradLoops kLoops{kVector,
                               kRowsAtOnce,
                               kPanel,
                               scratch_of,
                               make_weights,
                               convolve,
                               convolve_pooled,
                               convolve_unpooled,
                               add_gradients,
                               add_gradients_unpooled,
                               make_weight_gradients};

}  // namespace

#if PENUMBRA_VECTOR == 16
const WinogradLoops kWinogradLoops16 = kLoops;
#else
const WinogradLoops kWinogradLoops8 = kLoops;
#endif

}  // namespace penumbra
