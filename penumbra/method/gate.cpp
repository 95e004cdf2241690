#include "penumbra/method/gate.h"

#include <algorithm>

#include "penumbra/core/error.h"
#include "penumbra/loss/gaussian.h"
#include "penumbra/method/complement.h"

namespace penumbra {
namespace {

constexpr int64_t kRemembered = 2048;  // scores of labelled images

}  // namespace

Gate::Gate(Options& options) {
  options.read_choice(
      "gate", kind_, {"none", "epistemic", "variance", "both"},
      "keep pictures out of all losses that are unfamiliar, or whose variance is high: above "
      "gate_quantile (0 to 1, default 0.95) of the labelled images");
  if (on())
    options.read("gate_quantile", quantile_, {0, 1},
                 "of the scores of labelled images: what lies above is kept out");
  variance_ = AleatoricOptions().variance;
  auto of_loss = options;  // complement.h reads it for itself
  of_loss.read("variance", variance_, "");
}

// Larger is stranger. Certificates on features of length one: strangers tend to have shorter ones,
// which would look familiar otherwise.
std::vector<torch::Tensor> Gate::scores(const Output& said) const {
  std::vector<torch::Tensor> all;
  if (needs_certificates()) {
    const auto length = said.features.square().sum(1).clamp_min(1e-12);
    all.push_back(said.heads.at("certificates").square().mean(1) / length);
  }
  if (needs_variance()) {
    const auto& head = said.heads.at("variance");
    all.push_back(
        (variance_ == "paper" ? 2 * head.sigmoid() : loss::log_variance_of(head)).mean(1));
  }
  return all;
}

torch::Tensor Gate::familiar(const Output& said, int64_t views, const Forward& teacher,
                             const torch::Tensor& images) {
  const torch::NoGradGuard no_gradient;
  const auto n = said.logits.size(0) / views;
  auto passes = torch::ones({n}, said.logits.options().dtype(torch::kBool));
  if (!on()) return passes;
  const auto unlabelled = scores(said);
  if (images.size(0) > 0) remember(scores(teacher(images)));
  for (std::size_t i = 0; i < reference_.size(); ++i)
    passes = passes & (unlabelled[i].view({views, n}).mean(0) <= reference_[i].quantile(quantile_));
  return passes;
}

void Gate::remember(const std::vector<torch::Tensor>& labelled) {
  reference_.resize(labelled.size());
  for (std::size_t i = 0; i < labelled.size(); ++i) {
    auto& reference = reference_[i];
    reference =
        reference.defined() ? torch::cat({reference.to(labelled[i]), labelled[i]}) : labelled[i];
    reference = reference.slice(0, std::max<int64_t>(0, reference.size(0) - kRemembered));
  }
}

std::vector<NamedTensor> Gate::save() const {
  std::vector<NamedTensor> state;
  for (std::size_t i = 0; i < reference_.size(); ++i)
    state.push_back({"gate/" + std::to_string(i), reference_[i]});
  return state;
}

void Gate::load(const std::vector<NamedTensor>& state) {
  reference_.clear();
  const bool none = std::none_of(state.begin(), state.end(), [](const NamedTensor& entry) {
    return entry.name.rfind("gate/", 0) == 0;
  });
  if (none) return;  // no labelled image was looked at yet
  const int scores = (needs_certificates() ? 1 : 0) + (needs_variance() ? 1 : 0);
  for (int i = 0; i < scores; ++i) {
    const auto found = find_tensor(state, "gate/" + std::to_string(i));
    if (found.dim() != 1 || found.numel() == 0 || found.numel() > kRemembered ||
        found.scalar_type() != torch::kFloat)
      fail("what was saved has 'gate/", i, "' as ", found.sizes(), ' ', found.dtype().name(),
           ": expected a list of 1 to ", kRemembered, " float, as this run makes it");
    reference_.push_back(found);
  }
}

}  // namespace penumbra
