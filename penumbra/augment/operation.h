#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "penumbra/augment/geometry.h"
#include "penumbra/augment/raster.h"

namespace penumbra {

enum class Operation : uint8_t {
  kAutocontrast,
  kBlur,
  kBrightness,
  kColour,
  kContrast,
  kCutout,
  kEqualize,
  kIdentity,
  kInvert,
  kPosterize,
  kRescale,
  kRotate,
  kSharpness,
  kShearX,
  kShearY,
  kSmooth,
  kSolarize,
  kTranslateX,
  kTranslateY,
};

// One operation with PIL's parameters. Their meaning:
//   autocontrast, equalize, invert, blur, smooth   how much of it is mixed in, 0 to 1
//   brightness, colour, contrast, sharpness        ImageEnhance's factor
//   posterize                                      bits kept; solarize: threshold
//   rotate                                         degrees; shear: slope
//   translate                                      pixels to the left or up
//   cutout                                         side in pixels, of a grey square
//   rescale                                        margin cut off, and the ResizeFilter
struct Action {
  Operation operation = Operation::kIdentity;
  double value = 0;
  int choice = 0;    // rescale: the filter
  int x = 0, y = 0;  // cutout: the middle of the square
  Interpolation interpolation = Interpolation::kNearest;
};

void apply(Canvas& canvas, const Action& action);

std::string_view name_of(Operation operation);

inline constexpr std::array<uint8_t, 4> kGrey{127, 127, 127, 127};

}  // namespace penumbra
