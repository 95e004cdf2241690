#pragma once
#include <cstdint>

namespace penumbra {

// The loops of winograd.h. Maps lie channels last; a map is covered by tiles of 4 x 4 outputs,
// each of which sees 6 x 6 inputs. Channels come in multiples of kVector.

constexpr int64_t kVector = 8;   // floats that one instruction takes
constexpr int64_t kPoints = 36;  // products per channel pair and tile, in the place of 4 x 4 x 9

struct TiledMaps {
  int64_t images, height, width, in, out;
  int64_t down() const { return (height + 3) / 4; }
  int64_t across() const { return (width + 3) / 4; }
  int64_t tiles() const { return images * down() * across(); }
};

struct TileRange {
  int64_t first, count;
};

// Floats that the functions below need to work on so many tiles at once.
int64_t winograd_scratch(const TiledMaps& maps, int64_t tiles);

// U = G w G^T of the input channels [first, last); weights are [3, 3, in, out], and `made` is
// [36, in * out] in panels as winograd_convolve reads them.
void winograd_weights(const float* weights, int64_t in, int64_t out, int64_t first, int64_t last,
                      float* made);

// y = A^T (U . B^T x B) A for these tiles.
void winograd_convolve(const float* inputs, const float* weights, float* outputs,
                       const TiledMaps& maps, TileRange range, float* scratch);

// dU += B^T x B . A dy A^T over these tiles; dU is [36, in, out].
void winograd_add_gradients(const float* inputs, const float* gradients, float* sums,
                            const TiledMaps& maps, TileRange range, float* scratch);

// dw = G^T dU G of the input channels [first, last), [3, 3, in, out].
void winograd_weight_gradients(const float* sums, int64_t in, int64_t out, int64_t first,
                               int64_t last, float* made);

}  // namespace penumbra
