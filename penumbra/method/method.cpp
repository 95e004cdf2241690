#include "penumbra/method/method.h"

#include "penumbra/core/random.h"
#include "penumbra/method/complement.h"
#include "penumbra/method/methods.inc"  // generated from methods/*.cpp
#include "penumbra/method/warm_start.h"

namespace penumbra {

std::unique_ptr<Method> make_method(std::string_view name, Options& options) {
  auto method = find_plugin("method", kMethods, name).plugin->make(options);
  const auto defaults = method->defaults();
  auto supervised = defaults.supervised;
  const auto views = method->views();
  if (views.weak + views.strong > 0)
    options.read("supervised", supervised, {0, 0.99},
                 "share of the run, at its start, that sees labelled images alone");
  AleatoricOptions aleatoric;
  EpistemicOptions epistemic;
  aleatoric.weight = defaults.l_ua;
  epistemic.weight = defaults.l_ue;
  aleatoric.read(options);
  epistemic.read(options);
  options.reject_unknown(std::string("method '").append(name).append("'"));
  if (aleatoric.weight > 0 && !defaults.soft_targets)
    fail("method '", name, "' has no soft labels, which l_ua = ", aleatoric.weight,
         " needs; fixmatch has them with --set method.labels=soft");
  if (defaults.needs_certificates && epistemic.weight == 0)
    fail("the gate needs certificates, l_ue = 0 has none: expected --set method.l_ue=1 with it");
  if (defaults.needs_variance && !aleatoric.has_head())
    fail(
        "the gate needs a predicted variance: expected l_ua above 0, --set method.ua_loss=nll and "
        "--set method.variance=log with it");
  if (epistemic.weight > 0 && epistemic.samples == "strong" && views.strong == 0)
    fail("method '", name, "' has no strong views, which ue_samples = strong asks for: expected ",
         "--set method.ue_samples=labelled");
  if (defaults.skips && aleatoric.has_head() && aleatoric.samples == "all")
    fail(
        "variance_samples = all learns from every strong view, skip_untrusted = true leaves some "
        "out: expected --set method.variance_samples=masked with it");
  return complement(warm_start(std::move(method), supervised), aleatoric, epistemic, supervised);
}

std::vector<double> even_shares(int64_t n) {
  std::vector<double> shares;
  for (int64_t i = 0; i < n; ++i) shares.push_back(static_cast<double>(i) / static_cast<double>(n));
  return shares;
}

torch::Generator generator_of(const Batch& batch) {
  Random random({batch.seed, Stream::kMethod, static_cast<uint32_t>(batch.step)});
  const uint64_t high = random.bits();
  return make_generator(high << 32 | random.bits());
}

std::vector<PartInfo> list_methods() { return list_plugins(kMethods); }

}  // namespace penumbra
