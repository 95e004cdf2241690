#pragma once
#include <cstdint>

#include "penumbra/model/bfloat.h"

namespace penumbra {

// The loops of norm_activation.h over the values of maps: rows are places, columns channels, and
// z = scale x + shift for each channel.

// Some rows, and numbers for each channel. A loop copies what it needs: for all that the compiler
// knows, what it writes could change the piece, and it would not use vectors.
template <class T>
struct Piece {
  const T *maps, *gradients;  // x and dy, [rows, channels]
  T* out;
  int64_t rows, channels;
  const float *scale, *shift;  // z = scale x + shift
  const float *mean, *linear, *constant;
  float slope;
  float *sums, *products;  // are added to
};

// sums += x, products += x^2
void add_moments(const Piece<float>& piece);
void add_moments(const Piece<Bfloat>& piece);
// out = leaky(z)
void write_outputs(const Piece<float>& piece);
void write_outputs(const Piece<Bfloat>& piece);
// dz = leaky'(z) dy; sums += dz, products += dz (x - mean)
void add_gradients(const Piece<float>& piece);
void add_gradients(const Piece<Bfloat>& piece);
// out = scale dz + linear x + constant
void write_gradients(const Piece<float>& piece);
void write_gradients(const Piece<Bfloat>& piece);

}  // namespace penumbra
