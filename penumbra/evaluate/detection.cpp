#include "penumbra/evaluate/detection.h"

#include <algorithm>
#include <cmath>

#include "penumbra/core/error.h"

namespace penumbra {
namespace {

struct Scored {
  double score;
  bool positive;
};

// Both lists in one, highest score first.
std::vector<Scored> ranked(const std::vector<double>& negatives,
                           const std::vector<double>& positives) {
  if (negatives.empty() || positives.empty())
    fail("cannot compare scores of ", positives.size(), " strangers and ", negatives.size(),
         " familiar pictures: expected some of both");
  const auto higher = [](const Scored& a, const Scored& b) { return a.score > b.score; };
  // Samples of a bootstrap come sorted, lowest first: what is quick to see need not be done again.
  const auto from_highest = [&](const std::vector<double>& scores, bool positive) {
    std::vector<Scored> list;
    list.reserve(scores.size());
    for (auto score = scores.rbegin(); score != scores.rend(); ++score) {
      if (!std::isfinite(*score)) fail("a score is not a finite number");
      list.push_back({*score, positive});
    }
    if (!std::is_sorted(list.begin(), list.end(), higher))
      std::sort(list.begin(), list.end(), higher);
    return list;
  };
  const auto low = from_highest(negatives, false), high = from_highest(positives, true);
  std::vector<Scored> all(low.size() + high.size());
  std::merge(low.begin(), low.end(), high.begin(), high.end(), all.begin(), higher);
  return all;
}

// Calls visit(positives so far, negatives so far) after every group of equal scores.
template <class Visit>
void for_each_threshold(const std::vector<Scored>& all, const Visit& visit) {
  double positives = 0, negatives = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    (all[i].positive ? positives : negatives) += 1;
    if (i + 1 == all.size() || all[i + 1].score != all[i].score) visit(positives, negatives);
  }
}

std::vector<double> negated(std::vector<double> scores) {
  for (auto& score : scores) score = -score;
  return scores;
}

}  // namespace

double auroc(const std::vector<double>& negatives, const std::vector<double>& positives) {
  // Trapezia under the curve of true against false positives.
  double area = 0, last_true = 0, last_false = 0;
  for_each_threshold(ranked(negatives, positives), [&](double hits, double misses) {
    area += (misses - last_false) * (hits + last_true) / 2;
    last_true = hits;
    last_false = misses;
  });
  return area / (last_true * last_false);
}

double average_precision(const std::vector<double>& negatives,
                         const std::vector<double>& positives) {
  double sum = 0, last_true = 0;
  for_each_threshold(ranked(negatives, positives), [&](double hits, double misses) {
    sum += (hits - last_true) * hits / (hits + misses);
    last_true = hits;
  });
  return sum / last_true;
}

Detection detect(const std::vector<double>& familiar, const std::vector<double>& strangers) {
  Detection detection;
  detection.auroc = auroc(familiar, strangers);
  detection.aupr_out = average_precision(familiar, strangers);
  detection.aupr_in = average_precision(negated(strangers), negated(familiar));
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
