#include "penumbra/evaluate/detection.h"

#include <algorithm>
#include <cmath>

#include "penumbra/core/error.h"

namespace penumbra {
namespace {

constexpr auto kOnce = [](const auto&) { return 1.0; };

std::vector<double> negated(std::vector<double> scores) {
  for (auto& score : scores) score = -score;
  return scores;
}

}  // namespace

RankedScores::RankedScores(const std::vector<double>& negatives,
                           const std::vector<double>& positives)
    : negatives_(static_cast<int64_t>(negatives.size())) {
  if (negatives.empty() || positives.empty())
    fail("cannot compare scores of ", positives.size(), " strangers and ", negatives.size(),
         " familiar pictures: expected some of both");
  const auto score_of = [&](const Place& place) {
    return (place.positive ? positives : negatives)[place.index];
  };
  places_.reserve(negatives.size() + positives.size());
  for (const bool positive : {false, true}) {
    const auto& scores = positive ? positives : negatives;
    for (uint32_t i = 0; i < scores.size(); ++i) {
      if (!std::isfinite(scores[i])) fail("a score is not a finite number");
      places_.push_back({i, positive, false});
    }
  }
  std::sort(places_.begin(), places_.end(),
            [&](const Place& a, const Place& b) { return score_of(a) > score_of(b); });
  for (std::size_t i = 0; i < places_.size(); ++i)
    places_[i].last = i + 1 == places_.size() || score_of(places_[i + 1]) != score_of(places_[i]);
}

template <class Times, class Visit>
void RankedScores::for_each_threshold(const Times& times, const Visit& visit) const {
  double positives = 0, negatives = 0;
  for (const auto& place : places_) {
    (place.positive ? positives : negatives) += times(place);
    if (place.last) visit(positives, negatives);
  }
}

// Trapezia under the curve of true against false positives.
template <class Times>
double RankedScores::area(const Times& times) const {
  double area = 0, last_true = 0, last_false = 0;
  for_each_threshold(times, [&](double hits, double misses) {
    area += (misses - last_false) * (hits + last_true) / 2;
    last_true = hits;
    last_false = misses;
  });
  return area / (last_true * last_false);
}

double RankedScores::auroc() const { return area(kOnce); }

double RankedScores::auroc(const std::vector<int>& negatives,
                           const std::vector<int>& positives) const {
  return area([&](const Place& place) {
    return static_cast<double>((place.positive ? positives : negatives)[place.index]);
  });
}

double RankedScores::average_precision() const {
  double sum = 0, last_true = 0;
  for_each_threshold(kOnce, [&](double hits, double misses) {
    sum += (hits - last_true) * hits / (hits + misses);
    last_true = hits;
  });
  return sum / last_true;
}

Detection detect(const std::vector<double>& familiar, const std::vector<double>& strangers) {
  Detection detection;
  const RankedScores scores(familiar, strangers);
  detection.auroc = scores.auroc();
  detection.aupr_out = scores.average_precision();
  detection.aupr_in = RankedScores(negated(strangers), negated(familiar)).average_precision();
  // The smallest threshold at or below which 95 % of the familiar lie.
  auto sorted = familiar;
  std::sort(sorted.begin(), sorted.end());
  const auto accepted =
      static_cast<std::size_t>(std::ceil(0.95 * static_cast<double>(sorted.size())));
  const double threshold = sorted[accepted - 1];
  const auto passed = std::count_if(strangers.begin(), strangers.end(),
                                    [&](double score) { return score <= threshold; });
  detection.fpr95 = static_cast<double>(passed) / static_cast<double>(strangers.size());
  return detection;
}

}  // namespace penumbra
