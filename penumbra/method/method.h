#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "penumbra/augment/batch.h"
#include "penumbra/core/plugin.h"
#include "penumbra/method/labelled_views.h"
#include "penumbra/model/classifier.h"
#include "penumbra/model/forward.h"
#include "penumbra/model/named_tensor.h"

namespace penumbra {

// What a step lets the losses of complement.h see. Undefined where a method has none.
struct Evidence {
  torch::Tensor labelled_features;  // [B, d]
  torch::Tensor strong_features;    // [S mu B, d], view after view
  torch::Tensor strong_logits;      // [S mu B, classes]
  torch::Tensor targets;            // [S mu B, classes] soft labels, without gradient
  torch::Tensor mask;               // [S mu B] float: 1 where the target is trusted
  torch::Tensor familiar{};         // [S mu B] bool: no loss may learn from others; undefined: all
};

// One training step's result: what to minimise, and numbers worth plotting, as group/name.
struct Step {
  torch::Tensor loss;  // scalar
  std::map<std::string, double> report;
  torch::Tensor pseudo_labels;  // [mu B] int64, kUnlabelled where none is trusted; or undefined
  Evidence evidence;
};

// What a method has unless told otherwise of the options that every method has.
struct Defaults {
  double l_ua = 0, l_ue = 0;  // weights of the losses of complement.h
  bool soft_targets = false;  // its evidence has some, so that L_UA can be added
  double supervised = 0;      // share of the run that sees labelled images alone
  double smoothing = 0;       // of their labels, in that share
  bool skips = false;         // strong views of untrusted images are not computed
  bool needs_certificates = false, needs_variance = false;  // heads that L_UE and L_UA bring
};

// What a method may know of the data before the first step.
struct Pool {
  std::vector<int64_t> labelled, unlabelled;  // positions in the training set
  torch::Tensor labels;                       // [labelled] int64
  int64_t classes = 0;

  // Rows of a table by position: one more than the last.
  int64_t positions() const {
    int64_t rows = 0;
    for (const auto* part : {&labelled, &unlabelled})
      for (const auto position : *part) rows = std::max(rows, position + 1);
    return rows;
  }
};

// What the teacher says of every image as it is, in the order of Pool.
struct Survey {
  Output labelled, unlabelled;
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
  virtual Defaults defaults() const { return {}; }

  // Called before the first step and before load(); again for another pool, as if for the first.
  virtual void meet(const Pool&) {}
  // Shares of the run at which a method that labels all images at once wants a survey, ascending.
  virtual std::vector<double> surveys() const { return {}; }
  virtual void see(const Survey&) {}
  // Of mirror images as well, where the data has them: truer probabilities at twice the cost.
  virtual bool surveys_mirror_images() const { return false; }

  // Shares of the run at which it begins anew: the learning rate rises again, and the student takes
  // over what its moving average has become.
  virtual std::vector<double> phases() const { return {}; }

  // What it keeps from step to step, for a checkpoint.
  virtual std::vector<NamedTensor> save() const { return {}; }
  virtual void load(const std::vector<NamedTensor>&) {}
};

// 0, 1/n, ..., (n-1)/n
std::vector<double> even_shares(int64_t n);

// What a method draws in this step comes from here.
torch::Generator generator_of(const Batch& batch);

using MethodPlugin = Plugin<Method>;

// The method called `name`, with the losses of complement.h and the start of warm_start.h where its
// options ask for them.
std::unique_ptr<Method> make_method(std::string_view name, Options& options);
std::vector<PartInfo> list_methods();

}  // namespace penumbra
