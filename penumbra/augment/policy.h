#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "penumbra/augment/batch.h"
#include "penumbra/augment/raster.h"
#include "penumbra/core/json.h"
#include "penumbra/core/plugin.h"
#include "penumbra/core/random.h"

namespace penumbra {

// A way to change a picture without changing its class. Weak views get the weak policy,
// strong views get the weak one and then the strong one.
class Policy {
 public:
  virtual ~Policy() = default;

  // Does it make mirror images?
  virtual bool mirrors() const { return false; }
  // Throws Error where pictures of this shape cannot be augmented.
  virtual void check(const Shape&) const {}
  // Changes the picture in front. Called from several threads; all chance comes from `random`.
  virtual void apply(Canvas& canvas, Random& random, int64_t step) const = 0;

  // A policy that learns draws at step t from what it had learnt after step t - 1 - delay(), so
  // that making batches ahead of time does not change them. Any policy may ignore this.
  virtual bool learns() const { return false; }
  virtual int64_t delay() const { return 0; }
  // A try at random strength, for a labelled picture.
  virtual Trace probe(Canvas&, Random&) const { return {}; }
  // How the model took it: [B, classes] probabilities for batch.probe. Once for each step, in
  // order.
  virtual void update(const Batch&, const torch::Tensor&) {}
  // All that was learnt, for a checkpoint.
  virtual Json save() const { return {}; }
  virtual void load(const Json&) {}
};

using PolicyPlugin = Plugin<Policy>;

std::unique_ptr<Policy> make_policy(std::string_view name, Options& options);
std::vector<PartInfo> list_policies();

// The two policies of a training run from one set of options, those of "augment.*".
struct Policies {
  std::shared_ptr<Policy> weak, strong;
};
// `strong` is what strong views get on top of weak ones (--policy); the option "weak" names the
// weak policy. `mirrors`: may pictures of this data be mirrored, unless the options say so?
Policies make_policies(std::string_view strong, Options& options, bool mirrors);

}  // namespace penumbra
