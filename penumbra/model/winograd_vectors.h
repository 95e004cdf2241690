#pragma once
#include <cstdint>

#include "penumbra/model/bfloat.h"
#ifdef PENUMBRA_WINOGRAD_bf16
#include <immintrin.h>
#endif

// Vectors of floats, and what maps and products are made of, for winograd_loops.cpp, which alone is
// compiled for such vectors, once for each kind: hence no name of this file is seen outside.

#define PENUMBRA_INLINE inline __attribute__((always_inline))

namespace penumbra {
namespace {

// Floats that one instruction takes.
#if defined(PENUMBRA_WINOGRAD_16) || defined(PENUMBRA_WINOGRAD_bf16)
constexpr int64_t kVector = 16;  // NOLINT(misc-definitions-in-headers)
#else
constexpr int64_t kVector = 8;  // NOLINT(misc-definitions-in-headers)
#endif

using Vector = float __attribute__((vector_size(4 * kVector)));
using Anywhere = float __attribute__((vector_size(4 * kVector), aligned(4)));

// As wide, of whole numbers, and what they are kept as.
using Lanes = int32_t __attribute__((vector_size(4 * kVector)));
using Bytes = uint8_t __attribute__((vector_size(kVector)));
using BytesAnywhere = uint8_t __attribute__((vector_size(kVector), aligned(1)));

PENUMBRA_INLINE Lanes load_places(const uint8_t* at) {
  return __builtin_convertvector(static_cast<Bytes>(*reinterpret_cast<const BytesAnywhere*>(at)),
                                 Lanes);
}
PENUMBRA_INLINE void store_places(uint8_t* at, Lanes places) {
  *reinterpret_cast<BytesAnywhere*>(at) = __builtin_convertvector(places, Bytes);
}

PENUMBRA_INLINE Vector load(const float* at) { return *reinterpret_cast<const Anywhere*>(at); }
PENUMBRA_INLINE void store(float* at, Vector value) { *reinterpret_cast<Anywhere*>(at) = value; }

// Maps and points of them are elements. One instruction multiplies factors of one element, or of a
// pair, and adds up what they give.
#ifdef PENUMBRA_WINOGRAD_bf16

using Element = Bfloat;
using Factor [[gnu::may_alias]] = uint32_t;
using Factors = uint32_t __attribute__((vector_size(4 * kVector), aligned(4), may_alias));
constexpr int64_t kFactor = 2;  // NOLINT(misc-definitions-in-headers)

using Halves = uint16_t __attribute__((vector_size(2 * kVector)));
using HalvesAnywhere = uint16_t __attribute__((vector_size(2 * kVector), aligned(2), may_alias));
using Whole = uint32_t __attribute__((vector_size(4 * kVector)));

PENUMBRA_INLINE Vector load(const Bfloat* at) {
  const Halves halves = *reinterpret_cast<const HalvesAnywhere*>(at);
  return reinterpret_cast<Vector>(__builtin_convertvector(halves, Whole) << 16);
}
// To nearest, ties to even.
PENUMBRA_INLINE Halves halves_of(Vector value) {
  return reinterpret_cast<Halves>(_mm512_cvtneps_pbh(value));
}
PENUMBRA_INLINE void store(Bfloat* at, Vector value) {
  *reinterpret_cast<HalvesAnywhere*>(at) = halves_of(value);
}
// even, odd, even, odd, ...
PENUMBRA_INLINE void store_side_by_side(Bfloat* at, Vector even, Vector odd) {
  *reinterpret_cast<Factors*>(at) = __builtin_convertvector(halves_of(even), Whole) |
                                    __builtin_convertvector(halves_of(odd), Whole) << 16;
}
PENUMBRA_INLINE Vector multiply_add(Factor left, Factors right, Vector sum) {
  return _mm512_dpbf16_ps(sum,
                          reinterpret_cast<__m512bh>(_mm512_set1_epi32(static_cast<int>(left))),
                          reinterpret_cast<__m512bh>(right));
}

#else

using Element = float;
using Factor = float;
using Factors = Anywhere;
constexpr int64_t kFactor = 1;  // NOLINT(misc-definitions-in-headers)

PENUMBRA_INLINE Vector multiply_add(Factor left, Factors right, Vector sum) {
  return sum + left * right;
}

#endif

PENUMBRA_INLINE const Factor* factors_at(const Element* at) {
  return reinterpret_cast<const Factor*>(at);
}

}  // namespace
}  // namespace penumbra
