#include "penumbra/train/schedule.h"

#include <algorithm>
#include <cmath>

namespace penumbra {

double Schedule::progress(int64_t step) const {
  return static_cast<double>(step) / static_cast<double>(std::max<int64_t>(1, steps));
}

double Schedule::at(int64_t step) const {
  const double pi = std::acos(-1.0);
  const double rise =
      step < warm_up ? static_cast<double>(step + 1) / static_cast<double>(warm_up) : 1;
  return lr * rise * std::max(0.0, std::cos(cosine * pi * progress(step)));
}

}  // namespace penumbra
