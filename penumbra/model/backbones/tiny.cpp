// Tiny: two convolutions, for tests and first tries.

#include "penumbra/model/backbone.h"
#include "penumbra/model/layers.h"

namespace penumbra {
namespace {

namespace nn = torch::nn;

class Tiny final : public Backbone {
 public:
  Tiny(Options& options, const InputShape& input) {
    double momentum = 0.1;
    options.read("width", width_, {1, 512}, "channels of the first layer; the second has twice");
    options.read("bn_momentum", momentum, {0, 1}, "step of batch norm's running statistics");
    conv1_ = register_module("conv1", convolution(input.channels, width_, 3));
    bn1_ = register_module("bn1", batch_norm(width_, momentum));
    conv2_ = register_module("conv2", convolution(width_, 2 * width_, 3, /*stride=*/2));
    bn2_ = register_module("bn2", batch_norm(2 * width_, momentum));
  }

  int64_t feature_size() const override { return 2 * width_; }

  torch::Tensor forward(const torch::Tensor& images) override {
    const auto maps = activate(bn1_, conv1_, images, /*slope=*/0);
    return average_over_places(activate(bn2_, conv2_, maps, /*slope=*/0));
  }

 private:
  int64_t width_ = 16;
  Convolution conv1_{nullptr}, conv2_{nullptr};
  nn::BatchNorm2d bn1_{nullptr}, bn2_{nullptr};
};

}  // namespace

extern const BackbonePlugin backbone_tiny =
    backbone_plugin<Tiny>("two convolutions, for tests and first tries");

}  // namespace penumbra
