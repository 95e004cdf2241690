#include "penumbra/train/optimiser.h"

#include <torch/optim/adamw.h>

#include <map>
#include <tuple>

#include "penumbra/core/error.h"
#include "penumbra/train/muon.h"

namespace penumbra {
namespace {

// How the weights of a group are treated.
struct Treatment {
  double decay, lr_factor;
  bool operator<(const Treatment& other) const {
    return std::tie(decay, lr_factor) < std::tie(other.decay, other.lr_factor);
  }
};

// Vectors are biases and batch norm's factors; "kernels" are what multiplies inputs.
std::map<Treatment, std::vector<torch::Tensor>> grouped(const Classifier& classifier,
                                                        const OptimiserOptions& options) {
  std::map<Treatment, std::vector<torch::Tensor>> groups;
  for (const auto& weight : classifier.weights()) {
    const bool vector = weight.tensor.dim() <= 1;
    const bool decays = classifier.decays(weight.name) && (options.decay == "all" || !vector);
    groups[{decays ? options.weight_decay : 0, vector ? options.vector_lr : 1}].push_back(
        weight.tensor);
  }
  return groups;
}

template <class GroupOptions>
std::vector<torch::optim::OptimizerParamGroup> with_options(
    const std::map<Treatment, std::vector<torch::Tensor>>& groups, GroupOptions options) {
  std::vector<torch::optim::OptimizerParamGroup> result;
  result.reserve(groups.size());
  for (const auto& [treatment, weights] : groups)
    result.emplace_back(weights,
                        std::make_unique<GroupOptions>(options.weight_decay(treatment.decay)));
  return result;
}

}  // namespace

OptimiserOptions::OptimiserOptions(Options& options) {
  options.read_choice("optimiser", optimiser, {"sgd", "adamw", "muon"},
                      "sgd is Nesterov's; muon: convolutions by steps made orthogonal, the rest "
                      "by sgd");
  options.read("momentum", momentum, {0, 0.9999}, "of sgd and muon");
  options.read("weight_decay", weight_decay, {0, 10},
               "sgd: L2 in the gradient; adamw: decoupled; muon: as sgd, without convolutions");
  options.read_choice("decay", decay, {"kernels", "all"},
                      "weights that decay: kernels leaves out biases and batch norm");
  options.read("vector_lr", vector_lr, {0, 1000},
               "learning rate of biases and batch norm, as a multiple of lr");
  options.read("clip", clip, {0, 1e6}, "largest norm of the whole gradient; 0: not clipped");
}

Optimiser::Optimiser(const Classifier& classifier, const OptimiserOptions& options)
    : options_(options), weights_(classifier.weights()) {
  const auto groups = grouped(classifier, options);
  for (const auto& group : groups) factors_.push_back(group.first.lr_factor);
  if (options.optimiser == "adamw") {
    const torch::optim::AdamWOptions defaults;
    optimiser_ = std::make_unique<torch::optim::AdamW>(with_options(groups, defaults), defaults);
  } else {
    const auto defaults = torch::optim::SGDOptions(/*lr=*/0)
                              .momentum(options.momentum)
                              .nesterov(options.momentum > 0);
    if (options.optimiser == "muon")
      optimiser_ = std::make_unique<Muon>(with_options(groups, defaults), defaults);
    else
      optimiser_ = std::make_unique<torch::optim::SGD>(with_options(groups, defaults), defaults);
  }
}

void Optimiser::zero_grad() {
  // Dropped, not filled with zeros: the next gradient then moves in without an addition.
  for (auto& weight : weights_) weight.tensor.mutable_grad().reset();
}

double Optimiser::step(double lr) {
  std::vector<torch::Tensor> with_gradient, gradients;
  for (const auto& weight : weights_)
    if (weight.tensor.grad().defined()) {
      with_gradient.push_back(weight.tensor);
      gradients.push_back(weight.tensor.grad().norm());
    }
  if (gradients.empty()) return 0;
  const double norm = torch::stack(gradients).norm().item<double>();
  if (options_.clip > 0 && norm > options_.clip) {
    const torch::NoGradGuard no_gradient;
    for (const auto& weight : with_gradient) weight.grad().mul_(options_.clip / (norm + 1e-6));
  }
  for (std::size_t i = 0; i < factors_.size(); ++i)
    optimiser_->param_groups()[i].options().set_lr(lr * factors_[i]);
  optimiser_->step();
  return norm;
}

std::vector<NamedTensor> Optimiser::save() const {
  std::vector<NamedTensor> state;
  for (const auto& weight : weights_) {
    const auto found = optimiser_->state().find(state_key(weight.tensor));
    if (found == optimiser_->state().end()) continue;
    if (options_.optimiser == "adamw") {
      const auto& moments = static_cast<const torch::optim::AdamWParamState&>(*found->second);
      state.push_back({weight.name + "/step", torch::tensor(moments.step(), torch::kLong)});
      state.push_back({weight.name + "/mean", moments.exp_avg()});
      state.push_back({weight.name + "/square", moments.exp_avg_sq()});
    } else {
      const auto& momentum = static_cast<const torch::optim::SGDParamState&>(*found->second);
      state.push_back({weight.name + "/momentum", momentum.momentum_buffer()});
    }
  }
  return state;
}

void Optimiser::load(const std::vector<NamedTensor>& state) {
  std::map<std::string, torch::Tensor> values;
  for (const auto& entry : state) values[entry.name] = entry.tensor;
  for (const auto& weight : weights_) {
    // The layout must be the weight's, or the arithmetic would run in another order.
    const auto value = [&](const char* what) {
      const auto found = values.find(weight.name + "/" + what);
      if (found == values.end()) fail("the optimiser's state lacks ", weight.name, "/", what);
      if (found->second.sizes() != weight.tensor.sizes() ||
          found->second.scalar_type() != weight.tensor.scalar_type())
        fail("the optimiser's state has ", weight.name, "/", what, " as ", found->second.sizes(),
             ' ', found->second.dtype().name(), ": expected ", weight.tensor.sizes(), ' ',
             weight.tensor.dtype().name());
      return found->second.to(weight.tensor.options().requires_grad(false))
          .contiguous(weight.tensor.suggest_memory_format())
          .clone();
    };
    if (values.count(weight.name + "/mean") != 0) {
      auto moments = std::make_unique<torch::optim::AdamWParamState>();
      const auto step = values.find(weight.name + "/step");
      if (step == values.end() || step->second.numel() != 1 ||
          step->second.scalar_type() != torch::kLong)
        fail("the optimiser's state lacks ", weight.name, "/step: expected one whole number");
      moments->step(step->second.item<int64_t>());
      moments->exp_avg(value("mean"));
      moments->exp_avg_sq(value("square"));
      optimiser_->state()[state_key(weight.tensor)] = std::move(moments);
    } else if (values.count(weight.name + "/momentum") != 0) {
      auto momentum = std::make_unique<torch::optim::SGDParamState>();
      momentum->momentum_buffer(value("momentum"));
      optimiser_->state()[state_key(weight.tensor)] = std::move(momentum);
    }
  }
}

}  // namespace penumbra
