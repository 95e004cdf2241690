#pragma once
#include "penumbra/model/norm_activation.h"

namespace penumbra {

// A 3 x 3 convolution with stride 1 and a border of zeros, by Winograd's F(4 x 4, 3 x 3): a
// quarter of the products of a direct one, forward and in both gradients. libtorch has none:
// oneDNN's is for AVX-512 alone, and libtorch never asks for it.

// What is computed now: bfloat16 under autocast, else float32. Weights are float32 in both, and the
// others below make of maps what they need.
torch::ScalarType winograd_type();

// Whether maps [N, in, H, W] and weight [out, in, 3, 3] can be convolved so: on a CPU, maps that
// lie channels last, channels in multiples of eight; under autocast a processor that multiplies
// pairs of bfloat16 and outputs in multiples of sixteen, as are inputs that want a gradient.
bool winograd_fits(const torch::Tensor& maps, const torch::Tensor& weight);

// [N, out, H, W]. Errors are a few times those of a direct convolution in float32, and about six
// times those of one in bfloat16: a hundredth.
torch::Tensor winograd_convolution(const torch::Tensor& maps, const torch::Tensor& weight);

// What the above makes of a weight first, 36 matrices, and the rest of it, without a gradient:
// for a few images at a time this first part is half of the work, and always the same. With an
// activation its outputs, after pooling, are those of norm_activation.h.
torch::Tensor winograd_points(const torch::Tensor& weight,
                              torch::ScalarType type = winograd_type());
torch::Tensor winograd_convolution_by_points(const torch::Tensor& maps, const torch::Tensor& points,
                                             const Activation& activation = {});

// max_pool2d of 2 x 2 of the above, [N, out, H / 2, W / 2], without writing the maps between: they
// are four times as large. Height and width are two or more.
torch::Tensor winograd_pooled_convolution(const torch::Tensor& maps, const torch::Tensor& weight);
torch::Tensor winograd_pooled_convolution_by_points(const torch::Tensor& maps,
                                                    const torch::Tensor& points,
                                                    const Activation& activation = {});

}  // namespace penumbra
