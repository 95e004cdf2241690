#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "penumbra/augment/batch.h"
#include "penumbra/core/plugin.h"
#include "penumbra/model/classifier.h"
#include "penumbra/model/forward.h"
#include "penumbra/model/named_tensor.h"

namespace penumbra {

// One training step's result: what to minimise, and numbers worth plotting, as group/name.
struct Step {
  torch::Tensor loss;  // scalar
  std::map<std::string, double> report;
  torch::Tensor pseudo_labels;  // [mu B] int64, kUnlabelled where none is trusted; or undefined
};

// A semi-supervised learning rule: turns one batch into one scalar loss.
// Owns no model, optimiser or data; those belong to train/.
class Method {
 public:
  virtual ~Method() = default;

  virtual Views views() const = 0;
  // The student trains (batch norm sees the batch), the teacher is its moving average and
  // evaluates; gradients reach the student alone.
  virtual Step step(const Forward& student, const Forward& teacher, const Batch& batch) = 0;

  // Linear layers on the features that it wants beside the classifier's own.
  virtual std::vector<HeadSpec> heads(int64_t /*feature_size*/, int64_t /*classes*/) const {
    return {};
  }
  // What it keeps from step to step, for a checkpoint.
  virtual std::vector<NamedTensor> save() const { return {}; }
  virtual void load(const std::vector<NamedTensor>&) {}
};

using MethodPlugin = Plugin<Method>;

std::unique_ptr<Method> make_method(std::string_view name, Options& options);
std::vector<PartInfo> list_methods();

}  // namespace penumbra
