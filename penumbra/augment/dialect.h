#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "penumbra/augment/operation.h"
#include "penumbra/core/random.h"

namespace penumbra {

// RandAugment as three code bases of semi-supervised learning run it. All draw from the same
// fourteen operations with replacement, for each picture, and end with a cutout.
//
//            operations  each with  strength                           cutout
//  fixmatch  2           p 1/2      level 1..9 of 10, random sign      side 1/2, grey 127
//  simple    2           p 1/2      level 1..11 of 10, from min to max side 1/2, inside, grey 127
//  usb       3           always     uniform from min to max            side uniform below 1/2,
//  brown
//
//  brightness, colour, contrast, sharpness 0.05 to 0.95, posterize 4 to 8 bits, rotate +-30
//  degrees, shear +-0.3, solarize 0 to 256, translate +-0.3 of the size; what leaves the picture is
//  black.
//
// fixmatch is kekmodel/FixMatch-pytorch's reading of the paper's table, usb is USB's and
// TorchSSL's: both call PIL, whose transforms take the nearest pixel. simple is SimPLE's, whose
// kornia interpolates bilinearly; it draws once per batch and solarizes below the threshold,
// here each picture has its draw and all operations mean what PIL means.
// PIL's rectangle includes its far corner, so that the first and third paint squares one pixel
// wider than they say; here the side is what it says. Sides are fractions of the picture's: 16
// pixels at 32.
struct Dialect {
  enum class Kind { kFixMatch, kSimple, kUsb };
  Kind kind = Kind::kFixMatch;
  int64_t operations = 2;
  int64_t magnitude = 10;    // fixmatch: levels 1 .. magnitude - 1, simple: 1 .. magnitude + 1
  double probability = 0.5;  // of each operation
  double cutout = 0.5;       // side as a fraction of the picture's; usb: its upper bound
  Interpolation interpolation = Interpolation::kNearest;
  std::array<uint8_t, 4> paint = kGrey;  // of the cutout, on pictures of 2, 3 or 4 channels
  uint8_t grey_paint = 127;              // on grey ones
};

// "fixmatch", "simple" or "usb" with its authors' values.
Dialect make_dialect(std::string_view name);

// The next operation, the identity where chance says not to apply it.
Action draw_action(const Dialect& dialect, const Shape& shape, Random& random);

// Columns x0 .. x1-1 and rows y0 .. y1-1; may reach beyond the picture.
struct Square {
  int x0, y0, x1, y1;
};
Square draw_cutout(const Dialect& dialect, const Shape& shape, Random& random);

}  // namespace penumbra
