#include "penumbra/augment/policy.h"

#include "penumbra/augment/policies.inc"  // generated from policies/*.cpp
#include "penumbra/core/error.h"

namespace penumbra {

std::unique_ptr<Policy> make_policy(std::string_view name, Options& options) {
  return make_plugin("policy", kPolicys, name, options);
}

std::vector<PartInfo> list_policies() { return list_plugins(kPolicys); }

Policies make_policies(std::string_view strong, Options& options, bool mirrors) {
  std::string weak = "flip_crop";
  options.read("weak", weak, "policy of weak views; strong views get it first");
  if (weak == "flip_crop" || strong == "flip_crop")
    options.set_default("mirror", mirrors ? "true" : "false");
  const auto make = [&](std::string_view name) {
    return find_plugin("policy", kPolicys, name).plugin->make(options);
  };
  Policies policies;
  policies.weak = make(weak);
  if (policies.weak->learns())
    fail("augment.weak = ", weak, " learns from what strong views do: expected a policy that does ",
         "not, such as flip_crop");
  policies.strong = make(strong == weak ? "none" : strong);  // not twice the same
  options.reject_unknown("augmentation by '" + weak + "' and '" + std::string(strong) + "'");
  return policies;
}

}  // namespace penumbra
