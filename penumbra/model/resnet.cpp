#include "penumbra/model/resnet.h"

namespace penumbra {
namespace {

namespace nn = torch::nn;

constexpr double kLinear = 1;  // slope below zero: batch norm alone

// out = relu(bn2(conv2(relu(bn1(conv1(x))))) + x), where x passes `downsample` (a 1x1
// convolution and batch norm) if the channels or the size change.
class Block final : public nn::Module {
 public:
  Block(int64_t in, int64_t out, int64_t stride, double momentum)
      : conv1_(register_module("conv1", convolution(in, out, 3, stride))),
        bn1_(register_module("bn1", batch_norm(out, momentum))),
        conv2_(register_module("conv2", convolution(out, out, 3))),
        bn2_(register_module("bn2", batch_norm(out, momentum))) {
    if (in == out && stride == 1) return;
    skip_ = convolution(in, out, 1, stride);
    skip_norm_ = batch_norm(out, momentum);
    register_module("downsample", nn::Sequential(skip_, skip_norm_));
  }

  torch::Tensor forward(const torch::Tensor& maps) {
    const auto inner = activate(bn1_, conv1_, maps, /*slope=*/0);
    const auto residual = skip_.is_empty() ? maps : activate(skip_norm_, skip_, maps, kLinear);
    return activate(bn2_, conv2_, inner, kLinear).add_(residual).relu_();
  }

 private:
  Convolution conv1_;
  nn::BatchNorm2d bn1_;
  Convolution conv2_;
  nn::BatchNorm2d bn2_;
  Convolution skip_{nullptr};
  nn::BatchNorm2d skip_norm_{nullptr};
};

}  // namespace

ResNet18::ResNet18(Stem stem, Options& options, const InputShape& input) : stem_(stem) {
  double momentum = 0.1;
  options.read("bn_momentum", momentum, {0, 1}, "step of batch norm's running statistics");
  conv1_ = register_module("conv1", stem == Stem::kImageNet ? convolution(input.channels, 64, 7, 2)
                                                            : convolution(input.channels, 64, 3));
  bn1_ = register_module("bn1", batch_norm(64, momentum));
  int64_t channels = 64;
  for (int64_t group = 0; group < 4; ++group) {
    const int64_t out = int64_t{64} << group;
    nn::Sequential layer(Block(channels, out, group > 0 ? 2 : 1, momentum),
                         Block(out, out, 1, momentum));
    layers_.push_back(register_module("layer" + std::to_string(group + 1), layer));
    channels = out;
  }
}

torch::Tensor ResNet18::forward(const torch::Tensor& images) {
  auto maps = activate(bn1_, conv1_, images, /*slope=*/0);
  if (stem_ == Stem::kImageNet)
    maps = torch::max_pool2d(maps, /*kernel_size=*/3, /*stride=*/2, /*padding=*/1);
  for (auto& layer : layers_) maps = layer->forward(maps);
  return average_over_places(maps);
}

}  // namespace penumbra
