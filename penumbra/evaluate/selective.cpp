#include "penumbra/evaluate/selective.h"

#include <algorithm>
#include <cmath>

#include "penumbra/core/error.h"

namespace penumbra {
namespace {

// Trapezia over coverages 1/N, 2/N, ..., 1, brought to the width of one.
double area(const std::vector<double>& values) {
  if (values.size() == 1) return values.front();
  double sum = 0;
  for (std::size_t i = 1; i < values.size(); ++i) sum += (values[i - 1] + values[i]) / 2;
  return sum / static_cast<double>(values.size() - 1);
}

std::vector<double> risks(const std::vector<double>& errors) {
  std::vector<double> risks;
  risks.reserve(errors.size());
  for (std::size_t i = 0; i < errors.size(); ++i)
    risks.push_back(errors[i] / static_cast<double>(i + 1));
  return risks;
}

}  // namespace

RankedAnswers::RankedAnswers(const std::vector<double>& scores, const std::vector<bool>& wrong) {
  if (scores.empty() || scores.size() != wrong.size())
    fail("cannot rank ", scores.size(), " scores of ", wrong.size(), " answers");
  for (std::size_t i = 0; i < scores.size(); ++i) places_.push_back({i, wrong[i], false});
  const auto lower = [&](const Place& a, const Place& b) {
    return scores[a.index] < scores[b.index];
  };
  std::sort(places_.begin(), places_.end(), lower);
  for (std::size_t i = 0; i < places_.size(); ++i)
    places_[i].last = i + 1 == places_.size() || lower(places_[i], places_[i + 1]);
}

std::vector<double> RankedAnswers::errors(const std::vector<int>& times) const {
  std::vector<double> errors;
  errors.reserve(places_.size());
  double before = 0, wrong = 0;
  int count = 0;  // with this score
  for (const auto& place : places_) {
    count += times[place.index];
    if (place.wrong) wrong += times[place.index];
    if (!place.last) continue;
    for (int i = 1; i <= count; ++i) errors.push_back(before + wrong * i / count);
    before += wrong;
    wrong = 0;
    count = 0;
  }
  return errors;
}

double RankedAnswers::aurc(const std::vector<int>& times) const {
  return area(risks(errors(times)));
}

Selective selective_of(const std::vector<double>& scores, const std::vector<bool>& wrong) {
  const auto errors =
      RankedAnswers(scores, wrong).errors(std::vector<int>(scores.size(), /*times=*/1));
  const auto n = static_cast<double>(errors.size());
  Selective found;
  found.risk = risks(errors);
  std::vector<double> joint;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    joint.push_back(errors[i] / n);
    if (found.risk[i] <= 0.05) found.coverage_at_5_risk = static_cast<double>(i + 1) / n;
  }
  found.aurc = area(found.risk);
  found.augrc = area(joint);
  const auto eighty = static_cast<std::size_t>(std::ceil(0.8 * n));
  found.risk_at_80_coverage = found.risk[eighty - 1];
  return found;
}

}  // namespace penumbra
