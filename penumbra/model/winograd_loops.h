#pragma once
#include <cstdint>

#include "penumbra/model/bfloat.h"

namespace penumbra {

// The loops of winograd.h. Maps lie channels last; a map is covered by tiles of 4 x 4 outputs,
// each of which sees 6 x 6 inputs. winograd_loops.cpp is compiled for vectors of eight floats, for
// vectors of sixteen, and for maps of bfloat16, whose points are rounded to that as well and
// multiplied in pairs, while transforms and sums are of floats.

constexpr int64_t kPoints = 36;  // products per channel pair and tile, in the place of 4 x 4 x 9

// Elements from one of the 36 matrices [in, out] to the next. A little apart: at a power of two
// they would share cache lines, of which a processor keeps eight.
constexpr int64_t kApart = 32;
constexpr int64_t point_step(int64_t in, int64_t out) { return in * out + kApart; }
constexpr int64_t outputs_of_step(int64_t step, int64_t in) { return (step - kApart) / in; }

struct TiledMaps {
  int64_t images, height, width, in, out;
  int64_t all_out = out;  // outputs that lie together, where `out` are computed of them
  int64_t down() const { return (height + 3) / 4; }
  int64_t across() const { return (width + 3) / 4; }
  int64_t tiles() const { return images * down() * across(); }
};

struct TileRange {
  int64_t first, count;
};

// A map whose 2 x 2 windows were reduced to their largest pixel: [H / 2, W / 2] of them, and for
// each channel which of the four it was (0 to 3, row by row). The gradient of the map itself is
// that of the window at this pixel and 0 at the others.
template <class Element>
struct PooledGradients {
  const Element* values;
  const uint8_t* places;
};

// What an output y becomes before it is written: z where z = scale y + shift > 0, else slope z, for
// each channel; y itself where there is no scale.
struct Finish {
  const float *scale = nullptr, *shift = nullptr;
  float slope = 0;
  Finish from(int64_t channel) const {
    return scale == nullptr ? *this : Finish{scale + channel, shift + channel, slope};
  }
};

// dU, [36, point_step(in, out)].
struct PointSums {
  float* values;
  bool begun;  // else they are not read: what is there is nothing yet
};

// Maps and the points of weights are of this type, float or Bfloat.
template <class Element>
struct WinogradLoops {
  // Input channels come in multiples of eight and are at least as many as a vector has floats,
  // output channels come in whole vectors.
  int64_t vector;

  // Tiles are multiplied so many at once, and outputs are, in panels.
  int64_t rows, panel;

  // Floats that the functions below need to work on so many tiles at once.
  int64_t (*scratch)(const TiledMaps& maps, int64_t tiles);

  // U = G w G^T of the input channels [first, last), in multiples of eight; weights are
  // [3, 3, in, out], and `made` is [36, point_step(in, out)] in panels as `convolve` reads them.
  void (*weights)(const float* weights, int64_t in, int64_t out, int64_t first, int64_t last,
                  Element* made);

  // y = A^T (U . B^T x B) A for these tiles. Where a part of the outputs is to be computed,
  // weights, outputs and what finishes them are given from its first one on; it begins with a
  // panel.
  void (*convolve)(const Element* inputs, const Element* weights, Element* outputs, Finish finish,
                   const TiledMaps& maps, TileRange range, float* scratch);

  // The same, then pooled; `places` may be null where nobody asks for them.
  void (*convolve_pooled)(const Element* inputs, const Element* weights, Element* outputs,
                          Finish finish, uint8_t* places, const TiledMaps& maps, TileRange range,
                          float* scratch);

  // `convolve` of a gradient that is given for the pooled map.
  void (*convolve_unpooled)(const PooledGradients<Element>& gradients, const Element* weights,
                            Element* outputs, const TiledMaps& maps, TileRange range,
                            float* scratch);

  // dU += B^T x B . A dy A^T over these tiles.
  void (*add_gradients)(const Element* inputs, const Element* gradients, PointSums sums,
                        const TiledMaps& maps, TileRange range, float* scratch);
  void (*add_gradients_unpooled)(const Element* inputs, const PooledGradients<Element>& gradients,
                                 PointSums sums, const TiledMaps& maps, TileRange range,
                                 float* scratch);

  // dw = G^T dU G of the input channels [first, last), [3, 3, in, out]; dU is the sum of so many
  // parts that follow each other.
  void (*weight_gradients)(const float* sums, int64_t parts, int64_t in, int64_t out, int64_t first,
                           int64_t last, float* made);
};

extern const WinogradLoops<float> kWinogradLoops8, kWinogradLoops16;
extern const WinogradLoops<Bfloat> kWinogradLoopsBf16;

}  // namespace penumbra
