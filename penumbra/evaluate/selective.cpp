#include "penumbra/evaluate/selective.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "penumbra/core/error.h"

namespace penumbra {
namespace {

// Wrong answers among the first 1, 2, ..., N by score.
std::vector<double> errors_by_rank(const std::vector<double>& scores,
                                   const std::vector<bool>& wrong) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!std::is_sorted(scores.begin(), scores.end()))
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  std::vector<double> errors;
  double before = 0;
  for (std::size_t begin = 0; begin < order.size();) {
    auto end = begin;
    double in_group = 0;
    for (; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end)
      in_group += wrong[order[end]] ? 1 : 0;
    const auto size = static_cast<double>(end - begin);
    for (std::size_t i = begin; i < end; ++i)
      errors.push_back(before + in_group * static_cast<double>(i - begin + 1) / size);
    before += in_group;
    begin = end;
  }
  return errors;
}

// Trapezia over coverages 1/N, 2/N, ..., 1, brought to the width of one.
double area(const std::vector<double>& values) {
  if (values.size() == 1) return values.front();
  double sum = 0;
  for (std::size_t i = 1; i < values.size(); ++i) sum += (values[i - 1] + values[i]) / 2;
  return sum / static_cast<double>(values.size() - 1);
}

}  // namespace

Selective selective_of(const std::vector<double>& scores, const std::vector<bool>& wrong) {
  if (scores.empty() || scores.size() != wrong.size())
    fail("cannot rank ", scores.size(), " scores of ", wrong.size(), " answers");
  const auto errors = errors_by_rank(scores, wrong);
  const auto n = static_cast<double>(errors.size());
  Selective found;
  std::vector<double> joint;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const auto accepted = static_cast<double>(i + 1);
    found.risk.push_back(errors[i] / accepted);
    joint.push_back(errors[i] / n);
    if (found.risk.back() <= 0.05) found.coverage_at_5_risk = accepted / n;
  }
  found.aurc = area(found.risk);
  found.augrc = area(joint);
  const auto eighty = static_cast<std::size_t>(std::ceil(0.8 * n));
  found.risk_at_80_coverage = found.risk[eighty - 1];
  return found;
}

}  // namespace penumbra
