// None: the picture as it is.

#include "penumbra/augment/policy.h"

namespace penumbra {
namespace {

class None final : public Policy {
 public:
  explicit None(Options&) {}

  void apply(Canvas&, Random&, int64_t) const override {}
};

}  // namespace

extern const PolicyPlugin policy_none = plugin<Policy, None>("the picture as it is");

}  // namespace penumbra
