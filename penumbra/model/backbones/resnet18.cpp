// ResNet-18 as torchvision has it: a torchvision checkpoint is a valid start.

#include "penumbra/model/resnet.h"

namespace penumbra {
namespace {

class TorchvisionResNet18 final : public ResNet18 {
 public:
  TorchvisionResNet18(Options& options, const InputShape& input)
      : ResNet18(Stem::kImageNet, options, input) {}
};

}  // namespace

extern const BackbonePlugin backbone_resnet18 = backbone_plugin<TorchvisionResNet18>(
    "torchvision's ResNet-18, whose first layers quarter the size; for photographs");

}  // namespace penumbra
