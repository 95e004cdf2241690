#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "penumbra/evaluate/metrics.h"

namespace penumbra {

struct Bootstrap {
  int rounds = 1000;  // 0: no intervals
  uint64_t seed = 0;
  int threads = 1;
};

// How often each member of each group was drawn.
using Drawn = std::vector<std::vector<int>>;

// 95 % intervals of what `statistics` says of samples drawn, with replacement, from groups of these
// sizes (Efron 1979: the quantiles over all rounds); `value` is what it says of the groups
// themselves. It is called from several threads. Without rounds an interval is as wide as its
// value.
std::vector<Interval> bootstrap(const std::vector<int64_t>& groups, const Bootstrap& how,
                                const std::function<std::vector<double>(const Drawn&)>& statistics);

}  // namespace penumbra
