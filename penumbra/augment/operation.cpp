#include "penumbra/augment/operation.h"

#include "penumbra/augment/enhance.h"
#include "penumbra/augment/levels.h"
#include "penumbra/augment/rescale.h"

namespace penumbra {

void apply(Canvas& canvas, const Action& action) {
  const double value = action.value;
  const auto level = static_cast<float>(value);
  const auto interpolation = action.interpolation;
  switch (action.operation) {
    case Operation::kAutocontrast:
      return autocontrast(canvas, level);
    case Operation::kBlur:
      return blur(canvas, level);
    case Operation::kBrightness:
      return brightness(canvas, level);
    case Operation::kColour:
      return colour(canvas, level);
    case Operation::kContrast:
      return contrast(canvas, level);
    case Operation::kCutout: {
      const int half = static_cast<int>(value) / 2;
      return cutout(canvas, action.x - half, action.y - half, action.x + half, action.y + half,
                    kGrey);
    }
    case Operation::kEqualize:
      return equalize(canvas, level);
    case Operation::kIdentity:
      return;
    case Operation::kInvert:
      return invert(canvas, level);
    case Operation::kPosterize:
      return posterize(canvas, static_cast<int>(value));
    case Operation::kRescale:
      return rescale(canvas, value, static_cast<ResizeFilter>(action.choice));
    case Operation::kRotate:
      return rotate(canvas, value, interpolation);
    case Operation::kSharpness:
      return sharpness(canvas, level);
    case Operation::kShearX:
      return shear_x(canvas, value, interpolation);
    case Operation::kShearY:
      return shear_y(canvas, value, interpolation);
    case Operation::kSmooth:
      return smooth(canvas, level);
    case Operation::kSolarize:
      return solarize(canvas, value);
    case Operation::kTranslateX:
      return translate(canvas, value, 0, interpolation);
    case Operation::kTranslateY:
      return translate(canvas, 0, value, interpolation);
  }
}

std::string_view name_of(Operation operation) {
  static constexpr std::string_view kNames[] = {
      "autocontrast", "blur",   "brightness", "colour",      "contrast",   "cutout",    "equalize",
      "identity",     "invert", "posterize",  "rescale",     "rotate",     "sharpness", "shear_x",
      "shear_y",      "smooth", "solarize",   "translate_x", "translate_y"};
  return kNames[static_cast<std::size_t>(operation)];
}

}  // namespace penumbra
