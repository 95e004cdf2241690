#pragma once
#include <cmath>

namespace penumbra {

// The number to five digits: more than a chart shows, in a third of the text.
inline double brief(double value) {
  if (std::abs(value) < 1e-12) return 0;
  if (!std::isfinite(value)) return value;
  const double scale = std::pow(10.0, 4 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

}  // namespace penumbra
