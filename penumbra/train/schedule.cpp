#include "penumbra/train/schedule.h"

#include <algorithm>
#include <cmath>

namespace penumbra {

double Schedule::progress(int64_t step) const {
  return static_cast<double>(step) / static_cast<double>(std::max<int64_t>(1, steps));
}

double Schedule::at(int64_t step) const {
  const double all = static_cast<double>(std::max<int64_t>(1, steps));
  double begin = 0, end = 1;
  for (const double phase : phases) {
    if (phase <= progress(step)) begin = std::max(begin, phase);
    if (phase > progress(step)) end = std::min(end, phase);
  }
  const double t = static_cast<double>(step) - begin * all;
  const double rise = std::min(1.0, (t + 1) / static_cast<double>(std::max<int64_t>(1, warm_up)));
  const double pi = std::acos(-1.0);
  return lr * rise * std::max(0.0, std::cos(cosine * pi * t / ((end - begin) * all)));
}

}  // namespace penumbra
