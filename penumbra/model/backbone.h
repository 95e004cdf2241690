#pragma once
#include <torch/nn/module.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "penumbra/core/plugin.h"
#include "penumbra/model/weights.h"

namespace penumbra {

// The shape of the images that a network will see.
struct InputShape {
  int64_t channels = 3, height = 32, width = 32;
};

// "wrn_28_2": the plug-in with the longest fitting name makes it, the rest is its to read.
struct BackboneName {
  std::string full;        // "wrn_28_2"
  std::string parameters;  // "28_2"; empty when the name is the plug-in's own

  // Throws Error: "no backbone 'wrn_27_2': <reason>".
  [[noreturn]] void reject(std::string_view reason) const;
};

// Images to features. Submodules bear the names that PyTorch's users know (conv1,
// layer1.0.bn1); `fc` and `heads` belong to the Classifier.
class Backbone : public torch::nn::Module {
 public:
  virtual int64_t feature_size() const = 0;
  // [N, C, H, W] -> [N, feature_size()]
  virtual torch::Tensor forward(const torch::Tensor& images) = 0;
  // Called once before training with unlabelled images [N, C, H, W], for a whitening layer.
  virtual void fit(const torch::Tensor& /*images*/) {}
  // Fresh weights; for most networks those of draw_weights.
  virtual void reset(torch::Generator generator) { draw_weights(*this, std::move(generator)); }

  // Another of the same kind, options and shape, with weights of its own.
  std::shared_ptr<Backbone> remake() const { return remake_(); }

 private:
  friend std::shared_ptr<Backbone> make_backbone(std::string_view, const InputShape&, Options&,
                                                 torch::Generator);
  std::function<std::shared_ptr<Backbone>()> remake_;
};

using BackbonePlugin = Plugin<Backbone, BackboneName, InputShape>;

// The plug-in of a network that is made by Network(Options&, const InputShape&), or, when its
// name carries parameters, by Network(Options&, const BackboneName&, const InputShape&).
template <class Network>
constexpr BackbonePlugin backbone_plugin(std::string_view summary) {
  return {summary,
          [](Options& options, const BackboneName& name,
             const InputShape& input) -> std::unique_ptr<Backbone> {
            if constexpr (std::is_constructible_v<Network, Options&, const BackboneName&,
                                                  const InputShape&>) {
              return std::make_unique<Network>(options, name, input);
            } else {
              if (!name.parameters.empty()) name.reject("its name takes no parameters");
              return std::make_unique<Network>(options, input);
            }
          }};
}

// The network called `name` with weights drawn from `generator`. `options` keeps what was read.
// libtorch's own generator is left as it was.
std::shared_ptr<Backbone> make_backbone(std::string_view name, const InputShape& input,
                                        Options& options,
                                        torch::Generator generator = make_generator(0));
std::vector<PartInfo> list_backbones();

}  // namespace penumbra
