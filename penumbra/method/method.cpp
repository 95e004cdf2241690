#include "penumbra/method/method.h"

#include "penumbra/core/random.h"
#include "penumbra/method/complement.h"
#include "penumbra/method/methods.inc"  // generated from methods/*.cpp

namespace penumbra {

std::unique_ptr<Method> make_method(std::string_view name, Options& options) {
  auto method = find_plugin("method", kMethods, name).plugin->make(options);
  const auto complements = method->complements();
  AleatoricOptions aleatoric;
  EpistemicOptions epistemic;
  aleatoric.weight = complements.l_ua;
  epistemic.weight = complements.l_ue;
  aleatoric.read(options);
  epistemic.read(options);
  options.reject_unknown(std::string("method '").append(name).append("'"));
  if (aleatoric.weight > 0 && !complements.soft_targets)
    fail("method '", name, "' has no soft labels, which l_ua = ", aleatoric.weight,
         " needs; fixmatch has them with --set method.labels=soft");
  return complement(std::move(method), aleatoric, epistemic);
}

torch::Generator generator_of(const Batch& batch) {
  Random random({batch.seed, Stream::kMethod, static_cast<uint32_t>(batch.step)});
  const uint64_t high = random.bits();
  return make_generator(high << 32 | random.bits());
}

std::vector<PartInfo> list_methods() { return list_plugins(kMethods); }

}  // namespace penumbra
