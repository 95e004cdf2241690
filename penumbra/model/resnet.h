#pragma once
#include <torch/nn/modules/container/sequential.h>

#include "penumbra/model/backbone.h"
#include "penumbra/model/layers.h"

namespace penumbra {

// ResNet-18 with torchvision's parameter names; the networks differ in how they begin.
// He et al. 2015, https://arxiv.org/abs/1512.03385.
class ResNet18 : public Backbone {
 public:
  enum class Stem {
    kImageNet,  // 7x7 of stride 2, then 3x3 pooling of stride 2: a quarter of the size
    kSmall,     // 3x3, full size, for images of about 32 pixels
  };
  ResNet18(Stem stem, Options& options, const InputShape& input);

  int64_t feature_size() const override { return 512; }
  torch::Tensor forward(const torch::Tensor& images) override;

 private:
  Stem stem_;
  Convolution conv1_{nullptr};
  torch::nn::BatchNorm2d bn1_{nullptr};
  std::vector<torch::nn::Sequential> layers_;
};

}  // namespace penumbra
