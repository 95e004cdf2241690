#include "penumbra/augment/control.h"

#include <algorithm>
#include <cmath>

namespace penumbra {

const std::vector<ControlledOperation>& controlled_operations() {
  static const std::vector<ControlledOperation> operations{
      {Operation::kAutocontrast, {17, 0}}, {Operation::kBlur, {17, 0}},
      {Operation::kBrightness, {17, 0}},   {Operation::kColour, {17, 0}},
      {Operation::kContrast, {17, 0}},     {Operation::kCutout, {17, 0}},
      {Operation::kEqualize, {17, 0}},     {Operation::kInvert, {17, 0}},
      {Operation::kIdentity, {0, 0}},      {Operation::kPosterize, {8, 0}},
      {Operation::kRescale, {17, 6}},      {Operation::kRotate, {17, 0}},
      {Operation::kSharpness, {17, 0}},    {Operation::kShearX, {17, 0}},
      {Operation::kShearY, {17, 0}},       {Operation::kSmooth, {17, 0}},
      {Operation::kSolarize, {17, 0}},     {Operation::kTranslateX, {17, 0}},
      {Operation::kTranslateY, {17, 0}}};
  return operations;
}

Action controlled_action(Operation operation, const std::array<float, 2>& level, const Shape& shape,
                         float x, float y) {
  Action action;
  action.operation = operation;
  const double value = level[0], signed_value = 2 * value - 1;
  switch (operation) {
    case Operation::kBrightness:
    case Operation::kColour:
    case Operation::kContrast:
    case Operation::kSharpness:
      action.value = 0.1 + 1.9 * value;
      break;
    case Operation::kPosterize:
      action.value = 1 + static_cast<int>(value * 7.999);
      break;
    case Operation::kSolarize:
      action.value = static_cast<int>(value * 255.999);
      break;
    case Operation::kRotate:
      action.value = std::nearbyint(signed_value * 45);
      break;
    case Operation::kShearX:
    case Operation::kShearY:
      action.value = signed_value * 0.3;
      break;
    // A fraction of the size, as the paper has it; the code meant pixels, and moved nothing.
    case Operation::kTranslateX:
      action.value = signed_value * 0.3 * shape.width;
      break;
    case Operation::kTranslateY:
      action.value = signed_value * 0.3 * shape.height;
      break;
    case Operation::kCutout:
      action.value = 1 + static_cast<int>(value * std::min(shape.width, shape.height) * 0.499);
      action.x = static_cast<int>(x * static_cast<float>(shape.width));
      action.y = static_cast<int>(y * static_cast<float>(shape.height));
      break;
    case Operation::kRescale:
      action.value = value * 0.25;
      action.choice = static_cast<int>(level[1] * 5.99f);
      break;
    default:
      action.value = value;
  }
  return action;
}

Rates initial_rates() {
  Rates rates;
  for (const auto& [operation, bins] : controlled_operations())
    rates.push_back({std::vector<float>(static_cast<std::size_t>(bins[0]), 1.0f),
                     std::vector<float>(static_cast<std::size_t>(bins[1]), 1.0f)});
  return rates;
}

std::vector<float> cumulative_chances(const std::vector<float>& rate, double threshold,
                                      double decay) {
  std::vector<float> chances(rate.size());
  const double largest = *std::max_element(rate.begin(), rate.end()) + (1 - decay);
  double sum = 0;
  for (std::size_t i = 0; i < rate.size(); ++i) {
    const double p = (rate[i] + (1 - decay)) / largest;
    if (p >= threshold) sum += p;
    chances[i] = static_cast<float>(sum);
  }
  for (auto& chance : chances) chance = static_cast<float>(chance / sum);
  return chances;
}

}  // namespace penumbra
