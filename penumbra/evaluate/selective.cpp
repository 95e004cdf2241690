#include "penumbra/evaluate/selective.h"

#include <algorithm>
#include <cmath>

#include "penumbra/core/error.h"

namespace penumbra {

RankedAnswers::RankedAnswers(const std::vector<double>& scores, const std::vector<bool>& wrong) {
  if (scores.empty() || scores.size() != wrong.size())
    fail("cannot rank ", scores.size(), " scores of ", wrong.size(), " answers");
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!std::isfinite(scores[i]))
      fail("a score of picture ", i, " is ", scores[i],
           ": expected a finite number; the model is no good, train it anew");
    places_.push_back({i, wrong[i], false});
  }
  const auto lower = [&](const Place& a, const Place& b) {
    return scores[a.index] < scores[b.index];
  };
  std::sort(places_.begin(), places_.end(), lower);
  for (std::size_t i = 0; i < places_.size(); ++i)
    places_[i].last = i + 1 == places_.size() || lower(places_[i], places_[i + 1]);
}

Selective RankedAnswers::selective(const std::vector<int>& times) const {
  Selective found;
  found.risk.reserve(places_.size());
  double before = 0, wrong = 0;  // wrong answers with lower scores, and with this one
  int count = 0;                 // answers with this score
  for (const auto& place : places_) {
    count += times[place.index];
    if (place.wrong) wrong += times[place.index];
    if (!place.last) continue;
    for (int i = 1; i <= count; ++i) {
      const auto accepted = static_cast<double>(found.risk.size() + 1);
      found.risk.push_back((before + wrong * i / count) / accepted);
      found.aurc += found.risk.back();
      if (found.risk.back() <= 0.05) found.coverage_at_5_risk = accepted;
    }
    // sum over i of (errors_i - 1/2 w_i), where w_i = wrong / count is what answer i adds
    found.augrc += count * (before + wrong / 2);
    before += wrong;
    wrong = 0;
    count = 0;
  }
  const auto n = static_cast<double>(found.risk.size());
  found.aurc /= n;
  found.augrc /= n * n;
  found.coverage_at_5_risk /= n;
  found.risk_at_80_coverage = found.risk[static_cast<std::size_t>(std::ceil(0.8 * n)) - 1];
  return found;
}

Selective selective_of(const std::vector<double>& scores, const std::vector<bool>& wrong) {
  return RankedAnswers(scores, wrong).selective(std::vector<int>(scores.size(), /*times=*/1));
}

}  // namespace penumbra
