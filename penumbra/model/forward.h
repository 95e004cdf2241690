#pragma once
#include <torch/types.h>

#include <functional>
#include <map>
#include <string>
#include <utility>

namespace penumbra {

// What a classifier says of N images, in the precision of its weights whatever it computed in.
struct Output {
  torch::Tensor logits;                        // [N, classes]
  torch::Tensor features;                      // [N, feature_size]
  std::map<std::string, torch::Tensor> heads;  // by name, [N, outputs of that head]
};

// The weights of a named head: outputs = features weight^T + bias.
struct HeadWeights {
  torch::Tensor weight;  // [outputs, feature_size]
  torch::Tensor bias;    // [outputs], or undefined
};

// A classifier as the rest of the pipeline sees it: images [N, C, H, W] in, Output out, and the
// weights of its heads, for penalties on them.
class Forward {
 public:
  using Run = std::function<Output(const torch::Tensor& images)>;
  using Head = std::function<HeadWeights(const std::string& name)>;

  explicit Forward(Run run, Head head = {}) : run_(std::move(run)), head_(std::move(head)) {}

  Output operator()(const torch::Tensor& images) const { return run_(images); }
  HeadWeights head(const std::string& name) const { return head_(name); }

 private:
  Run run_;
  Head head_;
};

}  // namespace penumbra
