#include "penumbra/loss/ramp.h"

#include <algorithm>
#include <cmath>

namespace penumbra::loss {

double linear_ramp(double progress, double length) {
  return length > 0 ? std::min(1.0, progress / length) : 1;
}

double sigmoid_ramp(double progress, double length) {
  const double left = 1 - linear_ramp(progress, length);
  return std::exp(-5 * left * left);
}

}  // namespace penumbra::loss
