#pragma once
#include <torch/nn/modules/linear.h>

#include <memory>
#include <string>
#include <vector>

#include "penumbra/model/backbone.h"
#include "penumbra/model/forward.h"
#include "penumbra/model/kernels.h"
#include "penumbra/model/named_tensor.h"
#include "penumbra/model/precision.h"

namespace penumbra {

// A linear layer on the features that a method asks for beside the classifier's own.
struct HeadSpec {
  enum class Start {
    kXavier,      // normal, as the classifier's own
    kOrthogonal,  // orthonormal rows (columns, where there are more outputs than features)
    kZero,
  };
  std::string name;  // "variance", "certificates", "rotation"
  int64_t outputs = 1;
  bool bias = true;
  double bias_value = 0;  // at the start
  Start start = Start::kXavier;
  bool weight_decay = true;
};

// A backbone, a linear classifier `fc` on its features, and named heads on the same features.
class Classifier : public torch::nn::Module {
 public:
  Classifier(std::shared_ptr<Backbone> backbone, int64_t classes, std::vector<HeadSpec> heads,
             const torch::Generator& generator);

  // [N, C, H, W]. The backbone computes in the precision set below; fc and the heads always
  // in that of the weights.
  Output forward(const torch::Tensor& images);

  // Names are those of the file: the backbone's as torchvision has them, without a prefix, then
  // fc.weight, fc.bias, heads.NAME.weight, heads.NAME.bias.
  std::vector<NamedTensor> weights() const;      // what an optimiser changes
  std::vector<NamedTensor> statistics() const;   // batch norm's running values
  std::vector<NamedTensor> state() const;        // both
  bool decays(const std::string& weight) const;  // false for heads that asked not to

  HeadWeights head(const std::string& name) const;

  void set_precision(Precision precision) { precision_ = precision; }
  void set_kernels(Kernels kernels) { kernels_ = kernels; }
  // infer() then says what it thinks of a picture and its mirror image together: a truer answer for
  // twice the time. forward() does not.
  void set_mirrors(bool mirrors) { mirrors_ = mirrors; }
  bool mirrors() const { return mirrors_; }
  // Keep convolutions' weights, and take images, as channels_last: the faster layout on CPUs.
  void use_channels_last();

  Backbone& backbone() { return *backbone_; }
  int64_t classes() const { return classes_; }
  const std::vector<HeadSpec>& heads() const { return specs_; }
  torch::Device device() const { return fc_->weight.device(); }

  // Another with the same parts, settings and values, which shares nothing with this one.
  std::shared_ptr<Classifier> copy() const;
  // Take over these values, by name, keeping layouts. Throws Error unless they are exactly those
  // of state(), in number, names, shapes and types.
  void set_state(const std::vector<NamedTensor>& values);
  // Take over all values of `other`, a classifier with the same parts.
  void assign(const Classifier& other);

 private:
  std::shared_ptr<Backbone> backbone_;
  torch::nn::Linear fc_{nullptr};
  std::vector<torch::nn::Linear> head_layers_;  // in the order of specs_
  std::vector<HeadSpec> specs_;
  int64_t classes_;
  Precision precision_ = Precision::kFp32;
  Kernels kernels_ = fastest_kernels();
  torch::MemoryFormat layout_ = torch::MemoryFormat::Contiguous;
  bool mirrors_ = false;
};

// What methods call. `classifier` must outlive it.
Forward forward_of(Classifier& classifier);

}  // namespace penumbra
