#pragma once
#include "penumbra/model/forward.h"

namespace penumbra {

// The forward pass of MixMatch and after: rows [N, ...], first so many labelled ones and then views
// of so many unlabelled images, go through the network in pieces of about the labelled rows'
// number, each with a like share of labelled and unlabelled ones and no two views of an image, so
// that batch norm sees pieces of the usual size that are alike. Rows come back in their order.
Output interleaved(const Forward& network, const torch::Tensor& images, int64_t labelled,
                   int64_t view);

}  // namespace penumbra
