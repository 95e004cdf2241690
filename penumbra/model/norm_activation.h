#pragma once
#include <torch/types.h>

namespace penumbra {

// Batch norm's tensors and settings; weight and bias may be undefined: 1 and 0.
struct Norm {
  torch::Tensor weight, bias, running_mean, running_var;  // [C]
  double momentum = 0.1, epsilon = 1e-5;
  bool training = false;
};

// leaky_relu(batch_norm(maps)), [N, C, H, W] in and out: z where z > 0, else slope z. Running
// statistics move when training. With own kernels on a CPU, for float or bfloat16 maps that lie
// channels last, in one function that reads and writes memory less often than the two of libtorch
// do, which then do the rest.
torch::Tensor norm_activation(const torch::Tensor& maps, const Norm& norm, double slope);

// What that is once nothing is trained: z = scale y + shift for each channel, z where z > 0, else
// slope z. Undefined tensors stand for no activation at all.
struct Activation {
  torch::Tensor scale, shift;  // [C] float
  double slope = 0;
};
Activation activation_of(const Norm& norm, double slope);

}  // namespace penumbra
