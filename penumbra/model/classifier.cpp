#include "penumbra/model/classifier.h"

#include <map>

#include "penumbra/core/error.h"

namespace penumbra {
namespace {

constexpr std::string_view kBackbonePrefix = "backbone.";

template <class Items>
std::vector<NamedTensor> with_file_names(const Items& items) {
  std::vector<NamedTensor> named;
  for (const auto& item : items) {
    const auto& name = item.key();
    const bool inside = name.compare(0, kBackbonePrefix.size(), kBackbonePrefix) == 0;
    named.push_back({inside ? name.substr(kBackbonePrefix.size()) : name, item.value()});
  }
  return named;
}

void start(torch::nn::LinearImpl& layer, const HeadSpec& spec, const torch::Generator& generator) {
  const torch::NoGradGuard no_grad;
  draw_weights(layer, generator);
  auto& weight = layer.weight;
  if (spec.start == HeadSpec::Start::kOrthogonal)
    weight.copy_(draw_orthogonal(weight.size(0), weight.size(1), generator));
  if (spec.start == HeadSpec::Start::kZero) weight.zero_();
  if (spec.bias) layer.bias.fill_(spec.bias_value);
}

torch::nn::Linear linear(int64_t in, int64_t out, bool bias) {
  return torch::nn::Linear(torch::nn::LinearOptions(in, out).bias(bias));
}

}  // namespace

Classifier::Classifier(std::shared_ptr<Backbone> backbone, int64_t classes,
                       std::vector<HeadSpec> heads, const torch::Generator& generator)
    : backbone_(register_module("backbone", std::move(backbone))),
      specs_(std::move(heads)),
      classes_(classes) {
  for (const auto& child : backbone_->named_children())
    TORCH_CHECK(child.key() != "fc" && child.key() != "heads", "a backbone must not have a part '",
                child.key(), "': the classifier has one");
  const GlobalGeneratorScope scope;
  const auto size = backbone_->feature_size();
  fc_ = register_module("fc", linear(size, classes, /*bias=*/true));
  draw_weights(*fc_, generator);
  const auto group = register_module("heads", std::make_shared<torch::nn::Module>("heads"));
  for (const auto& spec : specs_) {
    auto layer = group->register_module(spec.name, linear(size, spec.outputs, spec.bias));
    start(*layer, spec, generator);
    head_layers_.push_back(layer);
  }
}

Output Classifier::forward(const torch::Tensor& images) {
  torch::Tensor features;
  {
    const AutocastScope autocast(precision_, device());
    const KernelScope scope(kernels_);
    features = backbone_->forward(images.contiguous(layout_));
  }
  features = features.to(fc_->weight.scalar_type());
  Output output{fc_(features), features, {}};
  for (std::size_t i = 0; i < specs_.size(); ++i)
    output.heads.emplace(specs_[i].name, head_layers_[i](features));
  return output;
}

std::vector<NamedTensor> Classifier::weights() const { return with_file_names(named_parameters()); }

std::vector<NamedTensor> Classifier::statistics() const { return with_file_names(named_buffers()); }

std::vector<NamedTensor> Classifier::state() const {
  auto all = weights();
  for (auto& item : statistics()) all.push_back(std::move(item));
  return all;
}

bool Classifier::decays(const std::string& weight) const {
  for (const auto& spec : specs_)
    if (!spec.weight_decay && weight.rfind("heads." + spec.name + ".", 0) == 0) return false;
  return true;
}

HeadWeights Classifier::head(const std::string& name) const {
  for (std::size_t i = 0; i < specs_.size(); ++i)
    if (specs_[i].name == name) return {head_layers_[i]->weight, head_layers_[i]->bias};
  TORCH_CHECK(false, "the classifier has no head '", name, "'");
}

void Classifier::use_channels_last() {
  layout_ = torch::MemoryFormat::ChannelsLast;
  for (auto& weight : parameters())
    if (weight.dim() == 4) weight.set_data(weight.detach().contiguous(layout_));
}

std::shared_ptr<Classifier> Classifier::copy() const {
  auto made =
      std::make_shared<Classifier>(backbone_->remake(), classes_, specs_, make_generator(0));
  const auto from = state(), to = made->state();
  for (std::size_t i = 0; i < from.size(); ++i) {
    auto tensor = to.at(i).tensor;
    tensor.set_data(from[i].tensor.detach().clone());  // with its type, device and layout
    tensor.set_requires_grad(from[i].tensor.requires_grad());
  }
  made->precision_ = precision_;
  made->kernels_ = kernels_;
  made->layout_ = layout_;
  made->mirrors_ = mirrors_;
  made->train(is_training());
  return made;
}

void Classifier::set_state(const std::vector<NamedTensor>& values) {
  std::map<std::string, torch::Tensor> given;
  for (const auto& value : values) given[value.name] = value.tensor;
  const auto targets = state();
  for (const auto& target : targets) {
    const auto found = given.find(target.name);
    if (found == given.end()) fail("the weights lack ", target.name);
    if (found->second.sizes() != target.tensor.sizes() ||
        found->second.scalar_type() != target.tensor.scalar_type())
      fail("the weights have ", target.name, " as ", found->second.sizes(), ' ',
           found->second.dtype().name(), ": expected ", target.tensor.sizes(), ' ',
           target.tensor.dtype().name());
  }
  if (given.size() != targets.size())
    fail("there are ", given.size(), " weights: expected ", targets.size());
  const torch::NoGradGuard no_grad;
  for (const auto& target : targets) target.tensor.copy_(given.at(target.name));
}

void Classifier::assign(const Classifier& other) {
  const torch::NoGradGuard no_grad;
  const auto from = other.state(), to = state();
  TORCH_CHECK(from.size() == to.size(), "classifiers differ in their parts");
  for (std::size_t i = 0; i < from.size(); ++i) {
    TORCH_CHECK(from[i].name == to[i].name, from[i].name, " is not ", to[i].name);
    auto tensor = to[i].tensor;
    tensor.copy_(from[i].tensor);
  }
}

Forward forward_of(Classifier& classifier) {
  return Forward([&classifier](const torch::Tensor& images) { return classifier.forward(images); },
                 [&classifier](const std::string& name) { return classifier.head(name); });
}

}  // namespace penumbra
