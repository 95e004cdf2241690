#include "penumbra/augment/dialect.h"

#include <algorithm>

#include "penumbra/core/error.h"

namespace penumbra {
namespace {

// The strength for `fraction` of the way from min to max.
struct Choice {
  Operation operation;
  double min, max;
};

constexpr Choice kChoices[] = {
    {Operation::kAutocontrast, 1, 1},    {Operation::kBrightness, 0.05, 0.95},
    {Operation::kColour, 0.05, 0.95},    {Operation::kContrast, 0.05, 0.95},
    {Operation::kEqualize, 1, 1},        {Operation::kIdentity, 0, 0},
    {Operation::kPosterize, 4, 8},       {Operation::kRotate, -30, 30},
    {Operation::kSharpness, 0.05, 0.95}, {Operation::kShearX, -0.3, 0.3},
    {Operation::kShearY, -0.3, 0.3},     {Operation::kSolarize, 0, 256},
    {Operation::kTranslateX, -0.3, 0.3}, {Operation::kTranslateY, -0.3, 0.3},
};

// FixMatch draws how far and then the side: value = level max / 10 + bias, with a random sign
// where `choice` is symmetric. Angles, pixels and thresholds are cut to whole numbers.
double fixmatch_value(const Choice& choice, double level, const Shape& shape, Random& random) {
  const auto whole = [](double value) { return static_cast<double>(static_cast<int>(value)); };
  const auto signed_level = [&](double max) {
    const double value = level * max / 10;
    return random.chance(0.5f) ? -value : value;
  };
  switch (choice.operation) {
    case Operation::kPosterize:
      return 4 + whole(level * 4 / 10);
    case Operation::kRotate:
      return whole(signed_level(30));
    case Operation::kSolarize:
      return 256 - whole(level * 256 / 10);
    case Operation::kShearX:
    case Operation::kShearY:
      return signed_level(choice.max);
    case Operation::kTranslateX:
      return whole(signed_level(choice.max) * shape.width);
    case Operation::kTranslateY:
      return whole(signed_level(choice.max) * shape.height);
    default:
      return level * (choice.max - choice.min) / 10 + choice.min;
  }
}

double range_value(const Choice& choice, double fraction, const Shape& shape, Dialect::Kind kind) {
  const double value = choice.min + fraction * (choice.max - choice.min);
  // kornia moves the picture by the value, PIL moves the place it looks at. Beyond the range's end
  // (fraction 1.1) the two sides differ.
  const double side = kind == Dialect::Kind::kSimple ? -1 : 1;
  switch (choice.operation) {
    case Operation::kShearX:
    case Operation::kShearY:
      return side * value;
    case Operation::kTranslateX:
      return side * value * shape.width;
    case Operation::kTranslateY:
      return side * value * shape.height;
    default:
      return value;
  }
}

}  // namespace

Dialect make_dialect(std::string_view name) {
  Dialect dialect;
  if (name == "fixmatch") return dialect;
  if (name == "simple") {
    dialect.kind = Dialect::Kind::kSimple;
    dialect.interpolation = Interpolation::kBilinear;
    return dialect;
  }
  if (name != "usb") fail("no dialect '", name, "': expected fixmatch, simple or usb");
  dialect.kind = Dialect::Kind::kUsb;
  dialect.operations = 3;
  dialect.probability = 1;
  dialect.paint = {125, 123, 114, 255};
  dialect.grey_paint = 123;  // its luminance
  return dialect;
}

Action draw_action(const Dialect& dialect, const Shape& shape, Random& random) {
  const auto& choice = kChoices[random.below(static_cast<uint32_t>(std::size(kChoices)))];
  Action action;
  action.interpolation = dialect.interpolation;
  const auto magnitude = static_cast<uint32_t>(dialect.magnitude);
  switch (dialect.kind) {
    case Dialect::Kind::kFixMatch:
      action.value = fixmatch_value(choice, 1 + random.below(magnitude - 1), shape, random);
      break;
    case Dialect::Kind::kSimple:
      action.value =
          range_value(choice, (1 + random.below(magnitude + 1)) / 10.0, shape, dialect.kind);
      break;
    case Dialect::Kind::kUsb:
      action.value = range_value(choice, random.uniform(), shape, dialect.kind);
      break;
  }
  const bool applied =
      dialect.probability >= 1 || random.chance(static_cast<float>(dialect.probability));
  if (applied) action.operation = choice.operation;
  return action;
}

Square draw_cutout(const Dialect& dialect, const Shape& shape, Random& random) {
  if (dialect.kind == Dialect::Kind::kSimple) {
    // Wholly inside, as wide and high as the fraction says.
    const int across = static_cast<int>(dialect.cutout * shape.width);
    const int down = static_cast<int>(dialect.cutout * shape.height);
    const auto place = [&](int size, int side) {
      return static_cast<int>(random.uniform() * static_cast<float>(size - side));
    };
    const int x = place(shape.width, across), y = place(shape.height, down);
    return {x, y, x + across, y + down};
  }
  const int size = std::min(shape.width, shape.height);
  const double fraction = dialect.kind == Dialect::Kind::kUsb
                              ? dialect.cutout * static_cast<double>(random.uniform())
                              : dialect.cutout;
  const int side = static_cast<int>(fraction * size);
  // Pushed inside at the left and top, cut off at the right and bottom.
  const auto place = [&](int n) {
    return static_cast<int>(std::max(0.0, random.uniform() * static_cast<double>(n) - side / 2.0));
  };
  const int x = place(shape.width), y = place(shape.height);
  return {x, y, x + side, y + side};
}

}  // namespace penumbra
