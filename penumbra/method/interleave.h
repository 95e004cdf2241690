#pragma once
#include "penumbra/model/forward.h"

namespace penumbra {

// The forward pass of MixMatch and after: rows [N, ...] go through the network in pieces of
// `size` images, each with a like share of labelled and unlabelled ones, so that batch norm sees
// pieces of the usual size that are alike. Rows come back in their order.
Output interleaved(const Forward& network, const torch::Tensor& images, int64_t size);

}  // namespace penumbra
