// ResNet-18 for small images: it begins with a 3x3 convolution at full size and no pooling.

#include "penumbra/model/resnet.h"

namespace penumbra {
namespace {

class CifarResNet18 final : public ResNet18 {
 public:
  CifarResNet18(Options& options, const InputShape& input)
      : ResNet18(Stem::kSmall, options, input) {}
};

}  // namespace

extern const BackbonePlugin backbone_resnet18_cifar =
    backbone_plugin<CifarResNet18>("ResNet-18 that keeps the full size at first; for 32 pixels");

}  // namespace penumbra
