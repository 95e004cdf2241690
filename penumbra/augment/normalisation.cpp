#include "penumbra/augment/normalisation.h"

#include "penumbra/core/error.h"
#include "penumbra/core/wide_loops.h"

namespace penumbra {
namespace {

constexpr int kPeriod = 48;  // a multiple of 1, 2, 3 and 4 channels, and of 16 lanes

// To bfloat16's 16 bits by rounding the float's upper half to nearest, ties to even.
inline uint16_t to_bfloat16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

inline void store(float value, float& out) { out = value; }
inline void store(float value, uint16_t& out) { out = to_bfloat16(value); }

template <class Out>
inline __attribute__((always_inline)) void write_all(const uint8_t* __restrict in,
                                                     Out* __restrict out, int n,
                                                     const float* __restrict scale,
                                                     const float* __restrict offset) {
  int i = 0;
  for (; i + kPeriod <= n; i += kPeriod)
    for (int k = 0; k < kPeriod; ++k)
      store(static_cast<float>(in[i + k]) * scale[k] + offset[k], out[i + k]);
  for (int k = 0; i + k < n; ++k)
    store(static_cast<float>(in[i + k]) * scale[k] + offset[k], out[i + k]);
}

PENUMBRA_WIDE void write_float(const uint8_t* in, float* out, int n, const float* scale,
                               const float* offset) {
  write_all(in, out, n, scale, offset);
}

PENUMBRA_WIDE void write_bfloat16(const uint8_t* in, uint16_t* out, int n, const float* scale,
                                  const float* offset) {
  write_all(in, out, n, scale, offset);
}

}  // namespace

Normaliser::Normaliser(const Normalisation& normalisation, Shape shape) : size_(shape.size()) {
  const auto channels = static_cast<std::size_t>(shape.channels);
  if (normalisation.mean.size() != channels || normalisation.std.size() != channels)
    fail("normalisation for ", normalisation.mean.size(), " channels: expected ", channels,
         ", as the pictures have");
  for (std::size_t k = 0; k < kPeriod; ++k) {
    const double mean = normalisation.mean[k % channels], std = normalisation.std[k % channels];
    if (!(std > 0)) fail("normalisation divides by ", std, ": expected a positive deviation");
    scale_.push_back(static_cast<float>(1 / (255 * std)));
    offset_.push_back(static_cast<float>(-mean / std));
  }
}

void Normaliser::write(const uint8_t* pixels, float* out) const {
  write_float(pixels, out, size_, scale_.data(), offset_.data());
}

void Normaliser::write(const uint8_t* pixels, uint16_t* out) const {
  write_bfloat16(pixels, out, size_, scale_.data(), offset_.data());
}

}  // namespace penumbra
