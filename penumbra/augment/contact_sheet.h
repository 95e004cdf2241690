#pragma once
#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "penumbra/augment/policy.h"
#include "penumbra/data/images.h"

namespace penumbra {

struct ContactSheet {
  std::vector<int64_t> pictures;  // positions in the images, one row each
  int weak = 2, strong = 6;       // views of each, after the original
  int cell = 96;  // small pictures are enlarged by whole factors up to about this size
  uint64_t seed = 0;
};

// What training sees: a row for each picture; the original, weak views and strong views in groups
// of columns, before normalisation. The views are those that the loader makes of the picture as
// unlabelled in the first pass. [H, W, C] uint8.
torch::Tensor draw(const ContactSheet& sheet, const Images& images, const Policies& policies);

}  // namespace penumbra
