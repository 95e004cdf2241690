#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "penumbra/core/plugin.h"
#include "penumbra/model/forward.h"
#include "penumbra/model/named_tensor.h"

namespace penumbra {

// Turns what a classifier says of images into one number each: the larger, the less it is to be
// trusted. Works with a model of any method, from one forward pass.
class Estimator {
 public:
  virtual ~Estimator() = default;

  // Learns what is familiar from what the model says of training images. `labels` [N] int64 has
  // kUnlabelled where a label is unknown or must not be used.
  virtual void fit(const Output& /*familiar*/, const torch::Tensor& /*labels*/) {}

  virtual torch::Tensor score(const Output& output) const = 0;  // [N] float32

  // What fit() learnt, for the model's file.
  virtual std::vector<NamedTensor> save() const { return {}; }
  virtual void load(const std::vector<NamedTensor>&) {}
};

using EstimatorPlugin = Plugin<Estimator>;

std::unique_ptr<Estimator> make_estimator(std::string_view name, Options& options);
std::vector<PartInfo> list_estimators();

// phi / |phi|, rows of [N, d]. Features of strangers tend to be shorter, which squares of products
// with them would take for familiar.
torch::Tensor unit_features(const torch::Tensor& features);

// For load(): the matrix [rows, columns] called `name`. A model's file may come from a stranger, so
// one that is no such matrix is an Error.
torch::Tensor find_matrix(const std::vector<NamedTensor>& tensors, std::string_view name);

// Throws Error where images have another number of features than those that were learnt from.
void expect_features(const torch::Tensor& features, int64_t expected);

}  // namespace penumbra
