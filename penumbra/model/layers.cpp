#include "penumbra/model/layers.h"

#include <algorithm>
#include <limits>

#include "penumbra/core/error.h"
#include "penumbra/model/kernels.h"
#include "penumbra/model/norm_activation.h"
#include "penumbra/model/winograd.h"

namespace penumbra {

namespace {

// With more images the points are a small part of the work, and not worth four times the memory of
// the weights.
constexpr int64_t kFewImages = 8;

// That convolution() may still make.
thread_local int64_t weights_left = std::numeric_limits<int64_t>::max();

// Of the next batch, which it counts where it trains.
Norm norm_of(torch::nn::BatchNorm2d& norm) {
  if (norm->is_training()) norm->num_batches_tracked.add_(1);
  return {norm->weight,
          norm->bias,
          norm->running_mean,
          norm->running_var,
          *norm->options.momentum(),
          norm->options.eps(),
          norm->is_training()};
}

}  // namespace

bool ConvolutionImpl::is_narrow(const torch::Tensor& maps) const {
  return maps.dim() == 4 && maps.size(3) == 1 && options.kernel_size()->at(1) > 1 &&
         options.groups() == 1 && !options.bias();
}

torch::Tensor ConvolutionImpl::forward_narrow(const torch::Tensor& maps) {
  const auto rows = options.kernel_size()->at(0), columns = options.kernel_size()->at(1);
  return torch::conv2d(maps, weight.narrow(3, columns / 2, 1), {},
                       /*stride=*/{options.stride()->at(0), 1}, /*padding=*/{rows / 2, 0});
}

torch::Tensor ConvolutionImpl::points_for(const torch::Tensor& maps) {
  if (maps.size(0) > kFewImages || is_training()) return winograd_points(weight);
  const bool kept = points_.defined() && points_.scalar_type() == winograd_type();
  if (!kept || weight._version() != version_ || weight.data_ptr() != address_) {
    points_ = winograd_points(weight);
    version_ = weight._version();
    address_ = weight.data_ptr();
  }
  return points_;
}

bool ConvolutionImpl::is_ours(const torch::Tensor& maps) const {
  const bool plain = !options.bias() && options.groups() == 1 && options.stride()->at(0) == 1;
  return plain && kernels_now() == Kernels::kOwn && !is_narrow(maps) && winograd_fits(maps, weight);
}

bool ConvolutionImpl::is_ours_pooled(const torch::Tensor& maps) const {
  return is_ours(maps) && maps.size(2) > 1 && maps.size(3) > 1;
}

torch::Tensor ConvolutionImpl::forward(const torch::Tensor& maps) {
  if (is_narrow(maps)) return forward_narrow(maps);
  if (!is_ours(maps)) return Conv2dImpl::forward(maps);
  if (torch::GradMode::is_enabled()) {
    forget_points();
    return winograd_convolution(maps, weight);
  }
  return winograd_convolution_by_points(maps, points_for(maps));
}

torch::Tensor ConvolutionImpl::forward_pooled(const torch::Tensor& maps) {
  const auto side = [&](int64_t dimension) { return std::min<int64_t>(2, maps.size(dimension)); };
  if (!is_ours_pooled(maps)) return torch::max_pool2d(forward(maps), {side(2), side(3)});
  if (torch::GradMode::is_enabled()) {
    forget_points();
    return winograd_pooled_convolution(maps, weight);
  }
  return winograd_pooled_convolution_by_points(maps, points_for(maps));
}

torch::Tensor ConvolutionImpl::forward_activated(const torch::Tensor& maps, const Norm& norm,
                                                 double slope) {
  if (norm.training || torch::GradMode::is_enabled() || !is_ours(maps))
    return norm_activation(forward(maps), norm, slope);
  return winograd_convolution_by_points(maps, points_for(maps), activation_of(norm, slope));
}

torch::Tensor ConvolutionImpl::forward_pooled_activated(const torch::Tensor& maps, const Norm& norm,
                                                        double slope) {
  if (norm.training || torch::GradMode::is_enabled() || !is_ours_pooled(maps))
    return norm_activation(forward_pooled(maps), norm, slope);
  return winograd_pooled_convolution_by_points(maps, points_for(maps), activation_of(norm, slope));
}

WeightAllowance::WeightAllowance(int64_t weights) { weights_left = weights; }
WeightAllowance::~WeightAllowance() { weights_left = std::numeric_limits<int64_t>::max(); }

Convolution convolution(int64_t in, int64_t out, int64_t kernel, int64_t stride) {
  const auto weights = in * out * kernel * kernel;
  if (weights > weights_left)
    fail(
        "the described network is larger than its weights are: expected a file as penumbra wrote "
        "it");
  if (weights_left != std::numeric_limits<int64_t>::max()) weights_left -= weights;
  return Convolution(
      torch::nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
}

torch::nn::BatchNorm2d batch_norm(int64_t channels, double momentum) {
  return torch::nn::BatchNorm2d(
      torch::nn::BatchNorm2dOptions(channels).eps(1e-5).momentum(momentum));
}

torch::Tensor activate(torch::nn::BatchNorm2d& norm, const torch::Tensor& maps, double slope) {
  return norm_activation(maps, norm_of(norm), slope);
}

torch::Tensor activate(torch::nn::BatchNorm2d& norm, Convolution& convolution,
                       const torch::Tensor& maps, double slope) {
  return convolution->forward_activated(maps, norm_of(norm), slope);
}

torch::Tensor average_over_places(const torch::Tensor& maps) {
  const auto type = maps.scalar_type();
  return maps.mean({2, 3}, /*keepdim=*/false, type == torch::kBFloat16 ? torch::kFloat : type);
}

}  // namespace penumbra
