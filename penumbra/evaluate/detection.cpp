#include "penumbra/evaluate/detection.h"

#include <algorithm>
#include <cmath>

#include "penumbra/core/error.h"

namespace penumbra {

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
      if (!std::isfinite(scores[i]))
        fail("a score of picture ", i, " is ", scores[i],
             ": expected a finite number; the model is no good, train it anew");
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

// Everything from one pass down the scores; what lies at or below a threshold is what was not yet
// passed before it. A threshold whose scores were not drawn adds nothing.
template <class Times>
Detection RankedScores::detection_of(const Times& times) const {
  const auto strange = static_cast<double>(positives()),
             familiar = static_cast<double>(negatives());
  // From above, the familiar score at or below which 95 % of the familiar lie.
  const double limit = familiar - std::ceil(0.95 * familiar) + 1;
  Detection found;
  double last_true = 0, last_false = 0;
  for_each_threshold(times, [&](double hits, double misses) {
    // Trapezia under the curve of true against false positives.
    found.auroc += (misses - last_false) * (hits + last_true) / 2;
    if (hits > last_true) found.aupr_out += (hits - last_true) * hits / (hits + misses);
    if (misses > last_false) {
      const double accepted = familiar - last_false;
      found.aupr_in += (misses - last_false) * accepted / (accepted + strange - last_true);
    }
    if (last_false < limit && misses >= limit) found.fpr95 = (strange - last_true) / strange;
    last_true = hits;
    last_false = misses;
  });
  found.auroc /= strange * familiar;
  found.aupr_out /= strange;
  found.aupr_in /= familiar;
  return found;
}

Detection RankedScores::detection() const {
  return detection_of([](const Place&) { return 1.0; });
}

Detection RankedScores::detection(const std::vector<int>& negatives,
                                  const std::vector<int>& positives) const {
  return detection_of([&](const Place& place) {
    return static_cast<double>((place.positive ? positives : negatives)[place.index]);
  });
}

Detection detect(const std::vector<double>& familiar, const std::vector<double>& strangers) {
  return RankedScores(familiar, strangers).detection();
}

}  // namespace penumbra
