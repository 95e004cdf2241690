#pragma once
#include <cstdint>

// Vectors of floats and Winograd's transforms of them, for winograd_loops.cpp, which alone is
// compiled for such vectors, once for each length: hence no name of this file is seen outside.

#define PENUMBRA_INLINE inline __attribute__((always_inline))

#ifndef PENUMBRA_VECTOR
#define PENUMBRA_VECTOR 8
#endif

namespace penumbra {
namespace {

// Floats that one instruction takes.
constexpr int64_t kVector = PENUMBRA_VECTOR;  // NOLINT(misc-definitions-in-headers)

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

}  // namespace
}  // namespace penumbra
