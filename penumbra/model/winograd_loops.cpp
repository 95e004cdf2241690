#include "penumbra/model/winograd_loops.h"

#include <algorithm>

#include "penumbra/model/winograd_tiles.h"

namespace penumbra {
namespace {

// A matrix of which factor (row, k) is values[row * row_step + k * k_step].
struct Left {
  const Factor* values;
  int64_t row_step, k_step;
};
struct Right {
  const Factor* values;  // columns of (., k) lie together
  int64_t k_step;
};

PENUMBRA_INLINE Factors load_factors(const Factor* at) {
  return *reinterpret_cast<const Factors*>(at);
}

// kRows x (kVectors * kVector) elements of target (+)= left right, all sums in registers.
template <int kRows, int kVectors, bool kAdd>
PENUMBRA_INLINE void multiply_few(Left left, Right right, int64_t depth, float* target,
                                  int64_t target_step) {
  Vector sums[kRows][kVectors];
  for (int r = 0; r < kRows; ++r)
    for (int n = 0; n < kVectors; ++n)
      sums[r][n] = kAdd ? load(target + r * target_step + n * kVector) : Vector{};
  for (int64_t k = 0; k < depth; ++k) {
    Factors row[kVectors];
    for (int n = 0; n < kVectors; ++n)
      row[n] = load_factors(right.values + k * right.k_step + n * kVector);
    for (int r = 0; r < kRows; ++r) {
      const Factor factor = left.values[r * left.row_step + k * left.k_step];
      for (int n = 0; n < kVectors; ++n) sums[r][n] = multiply_add(factor, row[n], sums[r][n]);
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

// The scratch that a range of tiles has; what comes out are sums, or points again.
template <class Out>
struct Work {
  Points<Element> in;
  Points<Out> out;
  Element* outside;  // zeros to begin with

  Work(const TiledMaps& maps, TileRange range, float* scratch)
      : in(reinterpret_cast<Element*>(scratch), range.count, maps.in),
        out(reinterpret_cast<Out*>(in.end()), range.count, maps.out),
        outside(reinterpret_cast<Element*>(out.end())) {
    std::fill_n(outside, std::max(maps.in, maps.out), Element{});
  }
};

// out = in U, point by point.
void multiply_points(const Element* weights, const TiledMaps& maps, TileRange range,
                     const Work<float>& work) {
  for (int64_t point = 0; point < kPoints; ++point) {
    const Element* panels = weights + point * point_step(maps.in, maps.all_out);
    const auto panel = [&](int64_t column) {
      return Right{factors_at(panels + column * maps.in), panel_width(column, maps.out)};
    };
    multiply<false>({factors_at(work.in.values + point * work.in.step), maps.in / kFactor, 1},
                    range.count, panel, maps.in / kFactor, work.out.values + point * work.out.step,
                    maps.out);
  }
}

// sums (+)= in^T out, point by point.
template <bool kAdd>
void add_products(const Work<Element>& work, const TiledMaps& maps, TileRange range, float* sums) {
  const auto depth = (range.count + kFactor - 1) / kFactor;
  for (int64_t point = 0; point < kPoints; ++point) {
    const Factor* rows = factors_at(work.out.values + point * work.out.step);
    const auto panel = [&](int64_t column) { return Right{rows + column, maps.out}; };
    multiply<kAdd>({factors_at(work.in.values + point * work.in.step), 1, maps.in}, maps.in, panel,
                   depth, sums + point * point_step(maps.in, maps.out), maps.out);
  }
}
void add_products(const Work<Element>& work, const TiledMaps& maps, TileRange range,
                  PointSums sums) {
  if (sums.begun)
    add_products<true>(work, maps, range, sums.values);
  else
    add_products<false>(work, maps, range, sums.values);
}

int64_t scratch_of(const TiledMaps& maps, int64_t tiles) {
  const Points<float> in(nullptr, tiles, maps.in), out(nullptr, tiles, maps.out);
  return kPoints * (in.step + out.step) + std::max(maps.in, maps.out);
}

void make_weights(const float* weights, int64_t in, int64_t out, int64_t first, int64_t last,
                  Element* made) {
  const auto made_of = [&](int64_t i, int64_t o, const auto& put) {
    transform<WeightLine>(
        [&](int y, int x) { return load(weights + ((y * 3 + x) * in + i) * out + o); }, put);
  };
  for (int64_t i = first; i < last; i += kFactor)
    for (int64_t o = 0; o < out; o += kVector) {
      const auto panel = o / kPanel * kPanel;
      Element* target = made + panel * in + i * panel_width(panel, out) + (o - panel) * kFactor;
      const auto at = [&](int y, int x) { return target + (y * 6 + x) * point_step(in, out); };
#ifdef PENUMBRA_WINOGRAD_bf16
      Vector even[6][6];
      made_of(i, o, [&](int y, int x, Vector value) { even[y][x] = value; });
      made_of(i + 1, o,
              [&](int y, int x, Vector value) { store_side_by_side(at(y, x), even[y][x], value); });
#else
      made_of(i, o, [&](int y, int x, Vector value) { store(at(y, x), value); });
#endif
    }
}

void convolve(const Element* inputs, const Element* weights, Element* outputs, Finish finish,
              const TiledMaps& maps, TileRange range, float* scratch) {
  const Work<float> work(maps, range, scratch);
  to_points<InputLine>(FromMap<6>(inputs, maps, maps.in, work.outside), range, work.in);
  multiply_points(weights, maps, range, work);
  if (finish.scale == nullptr)
    points_to_outputs(work.out, maps, range, Unchanged{}, outputs, work.outside);
  else
    points_to_outputs(work.out, maps, range, Finished{finish}, outputs, work.outside);
}

void convolve_pooled(const Element* inputs, const Element* weights, Element* outputs, Finish finish,
                     uint8_t* places, const TiledMaps& maps, TileRange range, float* scratch) {
  const Work<float> work(maps, range, scratch);
  to_points<InputLine>(FromMap<6>(inputs, maps, maps.in, work.outside), range, work.in);
  multiply_points(weights, maps, range, work);
  if (finish.scale == nullptr)
    points_to_pooled(work.out, maps, range, Unchanged{}, outputs, places);
  else
    points_to_pooled(work.out, maps, range, Finished{finish}, outputs, places);
}

void convolve_unpooled(const PooledGradients<Element>& gradients, const Element* weights,
                       Element* outputs, const TiledMaps& maps, TileRange range, float* scratch) {
  const Work<float> work(maps, range, scratch);
  to_points<InputLine>(FromPooled<6>(gradients, maps, maps.in, work.outside), range, work.in);
  multiply_points(weights, maps, range, work);
  points_to_outputs(work.out, maps, range, Unchanged{}, outputs, work.outside);
}

template <class Gradients>
void add_gradients_from(const Element* inputs, const Gradients& gradients, PointSums sums,
                        const TiledMaps& maps, TileRange range, const Work<Element>& work) {
  to_factors_of_tiles<InputLine>(FromMap<6>(inputs, maps, maps.in, work.outside), range, work.in);
  to_factors_of_tiles<GradientLine>(gradients, range, work.out);
  add_products(work, maps, range, sums);
}

void add_gradients(const Element* inputs, const Element* gradients, PointSums sums,
                   const TiledMaps& maps, TileRange range, float* scratch) {
  const Work<Element> work(maps, range, scratch);
  add_gradients_from(inputs, FromMap<4>(gradients, maps, maps.out, work.outside), sums, maps, range,
                     work);
}

void add_gradients_unpooled(const Element* inputs, const PooledGradients<Element>& gradients,
                            PointSums sums, const TiledMaps& maps, TileRange range,
                            float* scratch) {
  const Work<Element> work(maps, range, scratch);
  add_gradients_from(inputs, FromPooled<4>(gradients, maps, maps.out, work.outside), sums, maps,
                     range, work);
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

constexpr WinogradLoops<Element> kLoops{kVector,
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

#if defined(PENUMBRA_WINOGRAD_bf16)
const WinogradLoops<Bfloat> kWinogradLoopsBf16 = kLoops;
#elif defined(PENUMBRA_WINOGRAD_16)
const WinogradLoops<float> kWinogradLoops16 = kLoops;
#else
const WinogradLoops<float> kWinogradLoops8 = kLoops;
#endif

}  // namespace penumbra
