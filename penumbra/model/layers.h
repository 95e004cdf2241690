#pragma once
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>

#include "penumbra/model/norm_activation.h"

namespace penumbra {

// libtorch's convolution, computed by winograd.h where that fits and own kernels are wanted. One
// thread at a time may call it: it keeps what it made of its weight.
class ConvolutionImpl : public torch::nn::Conv2dImpl {
 public:
  using Conv2dImpl::Conv2dImpl;
  torch::Tensor forward(const torch::Tensor& maps);
  // The largest of each 2 x 2 of what forward gives; of what there is where a side has one pixel.
  torch::Tensor forward_pooled(const torch::Tensor& maps);
  // leaky_relu(norm(either)); one pass where nothing is trained.
  torch::Tensor forward_activated(const torch::Tensor& maps, const Norm& norm, double slope);
  torch::Tensor forward_pooled_activated(const torch::Tensor& maps, const Norm& norm, double slope);

 private:
  bool is_ours(const torch::Tensor& maps) const;
  bool is_ours_pooled(const torch::Tensor& maps) const;
  // Maps one pixel wide, of which only the middle column of the kernel sees anything. Asked for all
  // of it, oneDNN 2.6 makes NaN of the weight's gradient in bfloat16 with stride 2.
  bool is_narrow(const torch::Tensor& maps) const;
  torch::Tensor forward_narrow(const torch::Tensor& maps);
  // winograd_points(weight), kept where there are few images and nothing is trained.
  torch::Tensor points_for(const torch::Tensor& maps);
  // Who asks for gradients is about to change the weight, and libtorch's SGD does that without a
  // trace: neither its version nor its place tells.
  void forget_points() { points_.reset(); }

  torch::Tensor points_;           // made when a few images are predicted
  int64_t version_ = 0;            // of the weight that they are of
  const void* address_ = nullptr;  // and where it was
};
TORCH_MODULE(Convolution);

// While it lives, this thread's calls of convolution() may make so many weights in all and throw
// Error beyond: what a file describes must not ask for more than the file has.
class WeightAllowance {
 public:
  explicit WeightAllowance(int64_t weights);
  ~WeightAllowance();
  WeightAllowance(const WeightAllowance&) = delete;
  WeightAllowance& operator=(const WeightAllowance&) = delete;
};

// One without bias, padded so that stride 1 keeps the size of odd kernels.
Convolution convolution(int64_t in, int64_t out, int64_t kernel, int64_t stride = 1);

// A running statistic moves by `momentum` towards that of the batch (PyTorch's convention:
// its 0.001 is TensorFlow's 0.999); epsilon is 1e-5.
torch::nn::BatchNorm2d batch_norm(int64_t channels, double momentum);

// leaky_relu(norm(maps)), both in one; slope 0 is relu.
torch::Tensor activate(torch::nn::BatchNorm2d& norm, const torch::Tensor& maps, double slope);
// leaky_relu(norm(convolution(maps)))
torch::Tensor activate(torch::nn::BatchNorm2d& norm, Convolution& convolution,
                       const torch::Tensor& maps, double slope);

// The mean over all places, [N, C, H, W] -> [N, C]; float32 for bfloat16, whose eight bits
// are too few for features that are compared with each other.
torch::Tensor average_over_places(const torch::Tensor& maps);

}  // namespace penumbra
