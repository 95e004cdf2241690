// Flip and crop: pad by reflection, cut out a piece of the old size at random, mirror
// half of the pictures. The weak augmentation of MixMatch, FixMatch and SimPLE.

#include "penumbra/augment/geometry.h"
#include "penumbra/augment/policy.h"

namespace penumbra {
namespace {

class FlipCrop final : public Policy {
 public:
  explicit FlipCrop(Options& options) {
    options.read("mirror", mirror_, "mirror half of the pictures; not for digits and text");
    options.read("pad", pad_, {0, 1}, "padding on each side, as a fraction of the size");
  }

  bool mirrors() const override { return mirror_; }

  void check(const Shape& shape) const override {
    for (const int size : {shape.width, shape.height})
      if (padding(size) >= size)
        fail("padding of ", padding(size), " pixels around pictures of ", shape.width, "x",
             shape.height, ": reflection needs less than the size, lower augment.pad (", pad_, ")");
  }

  void apply(Canvas& canvas, Random& random, int64_t) const override {
    const auto shape = canvas.shape();
    const int dx = shift(shape.width, random), dy = shift(shape.height, random);
    if (dx != 0 || dy != 0) {
      reflect_shift(canvas.front(), canvas.back(), shape, dx, dy);
      canvas.flip();
    }
    if (mirror_ && random.chance(0.5f)) penumbra::mirror(canvas);
  }

 private:
  int padding(int size) const { return static_cast<int>(pad_ * size); }
  int shift(int size, Random& random) const {
    const int most = padding(size);
    return static_cast<int>(random.below(static_cast<uint32_t>(2 * most + 1))) - most;
  }

  bool mirror_ = true;
  double pad_ = 0.125;
};

}  // namespace

extern const PolicyPlugin policy_flip_crop =
    plugin<Policy, FlipCrop>("shift by up to an eighth with reflected borders, mirror half");

}  // namespace penumbra
