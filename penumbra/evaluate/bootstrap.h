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
//
// `biased` are the places of statistics, none below 0, that resampling itself makes larger: sums of
// gaps without a sign, where the noise of drawing is added to each gap. Their quantiles may all lie
// above the value, so that they are moved until the median of the rounds is the value; what is left
// is how far it spreads. (To reflect them, 2 value - quantile, would put them all below it.)
std::vector<Interval> bootstrap(const std::vector<int64_t>& groups, const Bootstrap& how,
                                const std::function<std::vector<double>(const Drawn&)>& statistics,
                                const std::vector<std::size_t>& biased = {});

}  // namespace penumbra
