// Wide residual network with activation before convolution.
// Zagoruyko and Komodakis 2016, https://arxiv.org/abs/1605.07146, in the form that
// semi-supervised learning uses (MixMatch and after): LeakyReLU 0.1, no dropout.

#include <torch/nn/modules/container/sequential.h>

#include <charconv>

#include "penumbra/model/backbone.h"
#include "penumbra/model/layers.h"

namespace penumbra {
namespace {

namespace nn = torch::nn;

struct WrnSize {
  int64_t depth = 28, width = 2;
};

// "28_2"; nothing is 28_2.
WrnSize parse_size(const BackboneName& name) {
  WrnSize size;
  const auto& text = name.parameters;
  if (text.empty()) return size;
  const char* end = text.data() + text.size();
  const auto depth = std::from_chars(text.data(), end, size.depth);
  const bool bar = depth.ec == std::errc{} && depth.ptr != end && *depth.ptr == '_';
  const auto width = bar ? std::from_chars(depth.ptr + 1, end, size.width) : depth;
  if (!bar || width.ec != std::errc{} || width.ptr != end)
    name.reject("expected wrn_DEPTH_WIDTH, such as wrn_28_2");
  if (size.depth < 10 || size.depth % 6 != 4 || size.depth > 1000)
    name.reject("depth must be 6n+4, such as 10, 16, 22, 28");
  if (size.width < 1 || size.width > 64) name.reject("width must be 1 to 64, such as 2 or 8");
  return size;
}

constexpr double kSlope = 0.1;  // of LeakyReLU

// out = conv2(act(bn2(conv1(act(bn1(x)))))) + x, where x passes a 1x1 convolution, `shortcut`,
// if the channels change. In the first group the shortcut begins behind the activation.
class Block final : public nn::Module {
 public:
  Block(int64_t in, int64_t out, int64_t stride, bool activate_before_residual, double momentum)
      : bn1_(register_module("bn1", batch_norm(in, momentum))),
        conv1_(register_module("conv1", convolution(in, out, 3, stride))),
        bn2_(register_module("bn2", batch_norm(out, momentum))),
        conv2_(register_module("conv2", convolution(out, out, 3))),
        activate_before_residual_(activate_before_residual) {
    if (in != out) shortcut_ = register_module("shortcut", convolution(in, out, 1, stride));
  }

  torch::Tensor forward(const torch::Tensor& maps) {
    const auto active = activate(bn1_, maps, kSlope);
    auto residual = maps;
    if (shortcut_) residual = shortcut_(activate_before_residual_ ? active : maps);
    return conv2_(activate(bn2_, conv1_, active, kSlope)).add_(residual);
  }

 private:
  nn::BatchNorm2d bn1_;
  Convolution conv1_;
  nn::BatchNorm2d bn2_;
  Convolution conv2_;
  Convolution shortcut_{nullptr};
  bool activate_before_residual_;
};

class Wrn final : public Backbone {
 public:
  Wrn(Options& options, const BackboneName& name, const InputShape& input) {
    const auto size = parse_size(name);
    double momentum = 0.001;
    options.read("bn_momentum", momentum, {0, 1}, "step of batch norm's running statistics");
    conv1_ = register_module("conv1", convolution(input.channels, 16, 3));
    int64_t channels = 16;
    for (int64_t group = 0; group < 3; ++group) {
      const auto out = (16 * size.width) << group;
      nn::Sequential layer;
      for (int64_t i = 0; i < (size.depth - 4) / 6; ++i) {
        const bool first = i == 0;
        layer->push_back(Block(first ? channels : out, out, first && group > 0 ? 2 : 1,
                               /*activate_before_residual=*/group == 0, momentum));
      }
      layers_.push_back(register_module("layer" + std::to_string(group + 1), layer));
      channels = out;
    }
    bn1_ = register_module("bn1", batch_norm(channels, momentum));
    feature_size_ = channels;
  }

  int64_t feature_size() const override { return feature_size_; }

  torch::Tensor forward(const torch::Tensor& images) override {
    auto maps = conv1_(images);
    for (auto& layer : layers_) maps = layer->forward(maps);
    return average_over_places(activate(bn1_, maps, kSlope));
  }

 private:
  Convolution conv1_{nullptr};
  std::vector<nn::Sequential> layers_;
  nn::BatchNorm2d bn1_{nullptr};
  int64_t feature_size_ = 0;
};

}  // namespace

extern const BackbonePlugin backbone_wrn = backbone_plugin<Wrn>(
    "wide residual network wrn_DEPTH_WIDTH, such as wrn_28_8; wrn alone is wrn_28_2");

}  // namespace penumbra
