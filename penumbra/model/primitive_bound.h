#pragma once
#include <cstdint>
#include <memory>

#include "penumbra/model/precision.h"

namespace penumbra {

// The layers of wrn_DEPTH_WIDTH as a plain sequence of oneDNN primitives: convolutions, batch norms
// with a fused ReLU and residual additions, forward and backward, on buffers of their own. No
// network of these layers trains faster with the same primitives, so it is what a training step
// is measured against. Left out, and under 1 % of a step: linear layer, loss, optimiser.
class PrimitiveNetwork {
 public:
  enum class Layout { kBlocked, kChannelsLast };

  // Square colour images. Throws Error where oneDNN has no such primitive.
  PrimitiveNetwork(int64_t depth, int64_t width, int64_t image_size, int64_t batch,
                   Precision precision, Layout layout);
  ~PrimitiveNetwork();
  PrimitiveNetwork(const PrimitiveNetwork&) = delete;
  PrimitiveNetwork& operator=(const PrimitiveNetwork&) = delete;

  // One pass forward and backward over all layers. The numbers in the buffers mean nothing.
  void train();

 private:
  class Layers;
  std::unique_ptr<Layers> layers_;
};

}  // namespace penumbra
