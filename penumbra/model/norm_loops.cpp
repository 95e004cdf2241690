#include "penumbra/model/norm_loops.h"

#include <cstring>

#include "penumbra/core/wide_loops.h"

// Rows, numbers of channels and results lie apart.
#ifdef __clang__
#define PENUMBRA_NO_OVERLAP _Pragma("clang loop vectorize(assume_safety)")
#else
#define PENUMBRA_NO_OVERLAP _Pragma("GCC ivdep")
#endif
#define PENUMBRA_INLINE inline __attribute__((always_inline))

namespace penumbra {
namespace {

inline float load(float value) { return value; }
inline float load(Bfloat value) {
  const uint32_t bits = static_cast<uint32_t>(value.bits) << 16;
  float result = 0;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}
inline void store(float value, float& target) { target = value; }
inline void store(float value, Bfloat& target) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  // To nearest, ties to even; training stops at what is not a number before it gets here.
  target.bits = static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

}  // namespace

// Both types of maps, in every version.
#define PENUMBRA_LOOP(name)                                          \
  PENUMBRA_WIDEST void name(const Piece<float>& p) { name##_of(p); } \
  PENUMBRA_WIDEST void name(const Piece<Bfloat>& p) { name##_of(p); }

// sums += x, products += x^2
template <class T>
PENUMBRA_INLINE void add_moments_of(const Piece<T>& p) {
  float* __restrict sums = p.sums;
  float* __restrict products = p.products;
  const auto rows = p.rows, channels = p.channels;
  for (int64_t r = 0; r < rows; ++r) {
    const T* __restrict maps = p.maps + r * channels;
    PENUMBRA_NO_OVERLAP
    for (int64_t c = 0; c < channels; ++c) {
      const float x = load(maps[c]);
      sums[c] += x;
      products[c] += x * x;
    }
  }
}
PENUMBRA_LOOP(add_moments)

// y = leaky(z)
template <class T>
PENUMBRA_INLINE void write_outputs_of(const Piece<T>& p) {
  const float* __restrict scale = p.scale;
  const float* __restrict shift = p.shift;
  const auto rows = p.rows, channels = p.channels;
  const float slope = p.slope;
  for (int64_t r = 0; r < rows; ++r) {
    const T* __restrict maps = p.maps + r * channels;
    T* __restrict out = p.out + r * channels;
    PENUMBRA_NO_OVERLAP
    for (int64_t c = 0; c < channels; ++c) {
      const float z = load(maps[c]) * scale[c] + shift[c];
      store(z * (z > 0 ? 1.0F : slope), out[c]);
    }
  }
}
PENUMBRA_LOOP(write_outputs)

// dz = leaky'(z) dy; sums += dz, products += dz (x - mean)
template <class T>
PENUMBRA_INLINE void add_gradients_of(const Piece<T>& p) {
  const float* __restrict scale = p.scale;
  const float* __restrict shift = p.shift;
  const float* __restrict mean = p.mean;
  float* __restrict sums = p.sums;
  float* __restrict products = p.products;
  const auto rows = p.rows, channels = p.channels;
  const float slope = p.slope;
  for (int64_t r = 0; r < rows; ++r) {
    const T* __restrict maps = p.maps + r * channels;
    const T* __restrict gradients = p.gradients + r * channels;
    PENUMBRA_NO_OVERLAP
    for (int64_t c = 0; c < channels; ++c) {
      const float x = load(maps[c]);
      const float dz = load(gradients[c]) * (x * scale[c] + shift[c] > 0 ? 1.0F : slope);
      sums[c] += dz;
      products[c] += dz * (x - mean[c]);
    }
  }
}
PENUMBRA_LOOP(add_gradients)

// dx = scale dz + linear x + constant, where the last two are the mean's and the variance's part
template <class T>
PENUMBRA_INLINE void write_gradients_of(const Piece<T>& p) {
  const float* __restrict scale = p.scale;
  const float* __restrict shift = p.shift;
  const float* __restrict linear = p.linear;
  const float* __restrict constant = p.constant;
  const auto rows = p.rows, channels = p.channels;
  const float slope = p.slope;
  for (int64_t r = 0; r < rows; ++r) {
    const T* __restrict maps = p.maps + r * channels;
    const T* __restrict gradients = p.gradients + r * channels;
    T* __restrict out = p.out + r * channels;
    PENUMBRA_NO_OVERLAP
    for (int64_t c = 0; c < channels; ++c) {
      const float x = load(maps[c]);
      const float dz = load(gradients[c]) * (x * scale[c] + shift[c] > 0 ? 1.0F : slope);
      store(scale[c] * dz + linear[c] * x + constant[c], out[c]);
    }
  }
}
PENUMBRA_LOOP(write_gradients)

}  // namespace penumbra
