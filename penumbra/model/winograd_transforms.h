#pragma once
#include "penumbra/model/winograd_vectors.h"

// Winograd's transforms of vectors, for winograd_loops.cpp alone.

namespace penumbra {
namespace {

// One line of each transform (Lavin and Gray 2015, https://arxiv.org/abs/1509.09308, section 4.3).
// Theirs are for the points 0, 1, -1, 2, -2 and infinity; by 0, a, -a, b, -b and infinity errors
// are half as large. Every sum has one product at the most, so that it is rounded in the same way
// wherever it is compiled.
// NOLINTBEGIN(misc-definitions-in-headers)
constexpr float kA = 0.625F, kA2 = kA * kA, kA3 = kA2 * kA;
constexpr float kB = 1.5F, kB2 = kB * kB;
constexpr float kR = kB / kA, kR2 = kR * kR, kR3 = kR2 * kR;
// Products of the differences of a point from the others.
constexpr float kOf0 = kA2 * kB2, kOfA = 2 * kA2 * (kA2 - kB2), kOfB = 2 * kB2 * (kB2 - kA2);
// NOLINTEND(misc-definitions-in-headers)

// B^T d
struct InputLine {
  static constexpr int kFrom = 6, kTo = 6;
  static PENUMBRA_INLINE void apply(const Vector (&d)[6], Vector (&made)[6]) {
    const Vector a = d[4] - kB2 * d[2], b = d[3] - kB2 * d[1];
    const Vector c = d[4] - kA2 * d[2], e = d[3] - kA2 * d[1];
    made[0] = (d[4] - (kA2 + kB2) * d[2]) + kOf0 * d[0];
    made[1] = a + kA * b;
    made[2] = a - kA * b;
    made[3] = c + kB * e;
    made[4] = c - kB * e;
    made[5] = (d[5] - (kA2 + kB2) * d[3]) + kOf0 * d[1];
  }
};

// A^T m
struct OutputLine {
  static constexpr int kFrom = 6, kTo = 4;
  static PENUMBRA_INLINE void apply(const Vector (&m)[6], Vector (&made)[4]) {
    const Vector a = m[1] + m[2], b = m[1] - m[2], c = m[3] + m[4], e = m[3] - m[4];
    made[0] = m[0] + a + c;
    made[1] = kA * (b + kR * e);
    made[2] = kA2 * (a + kR2 * c);
    made[3] = m[5] + kA3 * (b + kR3 * e);
  }
};

// A y
struct GradientLine {
  static constexpr int kFrom = 4, kTo = 6;
  static PENUMBRA_INLINE void apply(const Vector (&y)[4], Vector (&made)[6]) {
    const Vector a = y[0] + kA2 * y[2], b = y[1] + kA2 * y[3];
    const Vector c = y[0] + kB2 * y[2], e = y[1] + kB2 * y[3];
    made[0] = y[0];
    made[1] = a + kA * b;
    made[2] = a - kA * b;
    made[3] = c + kB * e;
    made[4] = c - kB * e;
    made[5] = y[3];
  }
};

// G w
struct WeightLine {
  static constexpr int kFrom = 3, kTo = 6;
  static PENUMBRA_INLINE void apply(const Vector (&w)[3], Vector (&made)[6]) {
    const Vector a = w[0] + kA2 * w[2], c = w[0] + kB2 * w[2];
    made[0] = w[0] * (1 / kOf0);
    made[1] = (a + kA * w[1]) * (1 / kOfA);
    made[2] = (a - kA * w[1]) * (1 / kOfA);
    made[3] = (c + kB * w[1]) * (1 / kOfB);
    made[4] = (c - kB * w[1]) * (1 / kOfB);
    made[5] = w[2];
  }
};

// G^T u
struct WeightGradientLine {
  static constexpr int kFrom = 6, kTo = 3;
  static PENUMBRA_INLINE void apply(const Vector (&u)[6], Vector (&made)[3]) {
    const Vector a = (u[1] + u[2]) * (1 / kOfA), b = (u[1] - u[2]) * (kA / kOfA);
    const Vector c = (u[3] + u[4]) * (1 / kOfB), e = (u[3] - u[4]) * (kB / kOfB);
    made[0] = (a + c) + u[0] * (1 / kOf0);
    made[1] = b + e;
    made[2] = u[5] + kA2 * (a + (kR2 * c));
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
