#include "penumbra/train/schedule.h"

#include <algorithm>
#include <cmath>

namespace penumbra {

double Schedule::progress(int64_t step) const {
  return behind + static_cast<double>(step - origin) / steps_per_run();
}

double Schedule::at(int64_t step) const {
  const double here = progress(step);
  double begin = 0, end = 1;
  for (const double phase : phases) {
    if (phase <= here) begin = std::max(begin, phase);
    if (phase > here) end = std::min(end, phase);
  }
  const double risen = (here - begin) * steps_per_run() + 1;
  const double rise = std::min(1.0, risen / static_cast<double>(std::max<int64_t>(1, warm_up)));
  const double pi = std::acos(-1.0);
  const double highest = begin > 0 ? lr * phase_lr : lr;
  return highest * rise * std::max(0.0, std::cos(cosine * pi * (here - begin) / (end - begin)));
}

void Schedule::count_anew(int64_t step, int64_t count) {
  behind = progress(step);
  origin = step;
  steps = count;
}

// Of a whole run at the pace of what is left.
double Schedule::steps_per_run() const {
  return static_cast<double>(std::max<int64_t>(1, steps - origin)) / (1 - behind);
}

}  // namespace penumbra
