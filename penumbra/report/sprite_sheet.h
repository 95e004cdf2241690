#pragma once
#include <torch/types.h>

#include <vector>

#include "penumbra/core/json.h"

namespace penumbra {

// Many small pictures as one, since a page with thousands of files would be slow. Picture i stands
// in column i mod columns, row i / columns.
class SpriteSheet {
 public:
  // [H, W, C] uint8, all of one shape: RGB, or grey by the first of one or two channels. Large
  // ones are shrunk, and the more there are the more. Returns its number.
  int64_t add(const torch::Tensor& picture);

  bool empty() const { return pictures_.empty(); }
  // width, height, columns, count, and the sheet as a data: address.
  Json to_json() const;

 private:
  Json drawn(int64_t side) const;  // with no side of a picture above this

  std::vector<torch::Tensor> pictures_;
};

}  // namespace penumbra
