#pragma once
#include <torch/types.h>

#include <functional>
#include <map>
#include <string>

namespace penumbra {

// What a classifier says of N images, in the precision of its weights whatever it computed in.
struct Output {
  torch::Tensor logits;                        // [N, classes]
  torch::Tensor features;                      // [N, feature_size]
  std::map<std::string, torch::Tensor> heads;  // by name, [N, outputs of that head]
};

// A classifier as the rest of the pipeline sees it: images [N, C, H, W] in, Output out.
using Forward = std::function<Output(const torch::Tensor& images)>;

}  // namespace penumbra
