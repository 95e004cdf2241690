#pragma once
#include <torch/optim/optimizer.h>

#include <memory>
#include <string>
#include <vector>

#include "penumbra/core/options.h"
#include "penumbra/model/classifier.h"

namespace penumbra {

struct OptimiserOptions {
  std::string optimiser = "sgd";
  double momentum = 0.9;          // sgd and muon, Nesterov's
  double weight_decay = 5e-4;     // L2 in the gradient; adamw: decoupled; muon: no convolutions
  std::string decay = "kernels";  // which weights
  double vector_lr = 1;           // learning rate of biases and batch norm, in lr
  double clip = 0;                // largest norm of the whole gradient; 0: none

  OptimiserOptions() = default;
  explicit OptimiserOptions(Options& options);
};

// libtorch's SGD (Nesterov) or AdamW, or Muon, over a classifier's weights, in groups that are
// treated alike.
class Optimiser {
 public:
  Optimiser(const Classifier& classifier, const OptimiserOptions& options);

  void zero_grad();
  // Clips, then steps. Returns the norm of the gradient before clipping.
  double step(double lr);

  // Momentum and moments by weight name ("fc.weight/momentum"), for a checkpoint.
  std::vector<NamedTensor> save() const;
  // Throws Error where a value's shape or type is not its weight's.
  void load(const std::vector<NamedTensor>& state);

 private:
  OptimiserOptions options_;
  std::vector<NamedTensor> weights_;
  std::vector<double> factors_;  // of the learning rate, for each group
  std::unique_ptr<torch::optim::Optimizer> optimiser_;
};

}  // namespace penumbra
