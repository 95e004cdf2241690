// RandAugment: a few operations drawn at random, at random strength, then a cutout.
// Cubuk et al. 2019, https://arxiv.org/abs/1909.13719, in the dialects of augment/dialect.h.

#include "penumbra/augment/dialect.h"
#include "penumbra/augment/policy.h"

namespace penumbra {
namespace {

Dialect read_dialect(Options& options) {
  std::string name = "fixmatch", interpolation;
  options.read_choice("dialect", name, {"fixmatch", "simple", "usb"},
                      "whose operations, ranges and chances");
  auto dialect = make_dialect(name);
  options.read("operations", dialect.operations, {0, 16}, "drawn for each picture");
  options.read("probability", dialect.probability, {0, 1}, "that an operation drawn is applied");
  if (dialect.kind == Dialect::Kind::kFixMatch)
    options.read("magnitude", dialect.magnitude, {2, 10}, "strongest level of 10, not included");
  if (dialect.kind == Dialect::Kind::kSimple)
    options.read("magnitude", dialect.magnitude, {1, 10}, "strongest level of 10, less one");
  options.read("cutout", dialect.cutout, {0, 1},
               dialect.kind == Dialect::Kind::kUsb
                   ? "largest side of the painted square, as a fraction of the picture's"
                   : "side of the painted square, as a fraction of the picture's");
  interpolation = dialect.interpolation == Interpolation::kNearest ? "nearest" : "bilinear";
  options.read_choice("interpolation", interpolation, {"nearest", "bilinear"},
                      "of rotation, shear and translation");
  dialect.interpolation =
      interpolation == "nearest" ? Interpolation::kNearest : Interpolation::kBilinear;
  return dialect;
}

class RandAugment final : public Policy {
 public:
  explicit RandAugment(Options& options) : dialect_(read_dialect(options)) {}

  void apply(Canvas& canvas, Random& random, int64_t) const override {
    const auto& shape = canvas.shape();
    for (int64_t i = 0; i < dialect_.operations; ++i)
      penumbra::apply(canvas, draw_action(dialect_, shape, random));
    const auto square = draw_cutout(dialect_, shape, random);
    auto paint = dialect_.paint;
    if (shape.channels == 1) paint[0] = dialect_.grey_paint;
    cutout(canvas, square.x0, square.y0, square.x1, square.y1, paint);
  }

 private:
  Dialect dialect_;
};

}  // namespace

extern const PolicyPlugin policy_randaugment =
    plugin<Policy, RandAugment>("a few random operations, then a cutout");

}  // namespace penumbra
