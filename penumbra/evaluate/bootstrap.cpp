#include "penumbra/evaluate/bootstrap.h"

#include <algorithm>
#include <cmath>

#include "penumbra/core/parallel.h"
#include "penumbra/core/random.h"

namespace penumbra {
namespace {

std::vector<int> draw(int64_t size, Random& random) {
  std::vector<int> times(static_cast<std::size_t>(size), 0);
  for (int64_t i = 0; i < size; ++i) ++times[random.below(static_cast<uint32_t>(size))];
  return times;
}

// Between the two values around it, by how near they are.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const auto above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - std::floor(place)) * (sorted[above] - sorted[below]);
}

}  // namespace

std::vector<Interval> bootstrap(const std::vector<int64_t>& groups, const Bootstrap& how,
                                const std::function<std::vector<double>(const Drawn&)>& statistics,
                                const std::vector<std::size_t>& biased) {
  Drawn once;
  for (const auto size : groups) once.emplace_back(static_cast<std::size_t>(size), 1);
  const auto values = statistics(once);
  std::vector<std::vector<double>> found(static_cast<std::size_t>(how.rounds));
  parallel_for(found.size(), how.threads, [&](std::size_t round) {
    Random random({how.seed, Stream::kEvaluation, static_cast<uint32_t>(round)});
    Drawn drawn;
    for (const auto size : groups) drawn.push_back(draw(size, random));
    found[round] = statistics(drawn);
  });
  std::vector<Interval> intervals;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<double> sorted{values[i]};
    if (!found.empty()) sorted.clear();
    for (const auto& round : found) sorted.push_back(round[i]);
    std::sort(sorted.begin(), sorted.end());
    intervals.push_back({values[i], quantile(sorted, 0.025), quantile(sorted, 0.975)});
    if (std::find(biased.begin(), biased.end(), i) == biased.end()) continue;
    const double bias = quantile(sorted, 0.5) - values[i];
    intervals.back().low = std::max(0.0, intervals.back().low - bias);
    intervals.back().high -= bias;
  }
  return intervals;
}

}  // namespace penumbra
