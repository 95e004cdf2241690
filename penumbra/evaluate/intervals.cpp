#include "penumbra/evaluate/intervals.h"

#include <algorithm>

#include "penumbra/evaluate/calibration.h"

namespace penumbra {
namespace {

// Each as often as it was drawn.
template <class T>
std::vector<T> sample(const std::vector<T>& values, const std::vector<int>& times) {
  std::vector<T> taken;
  taken.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    taken.insert(taken.end(), static_cast<std::size_t>(times[i]), values[i]);
  return taken;
}

struct Named {
  int64_t label;
  bool right, among_five;
};

// The mean over classes that occur of how often theirs was said.
double balanced(const std::vector<Named>& images, int64_t classes) {
  std::vector<double> right(static_cast<std::size_t>(classes)), all(right.size());
  for (const auto& image : images) {
    const auto c = static_cast<std::size_t>(image.label);
    right[c] += image.right ? 1 : 0;
    ++all[c];
  }
  double sum = 0, occurring = 0;
  for (std::size_t c = 0; c < all.size(); ++c)
    if (all[c] > 0) {
      sum += right[c] / all[c];
      ++occurring;
    }
  return sum / occurring;
}

}  // namespace

MetricIntervals metric_intervals(const torch::Tensor& logits, const torch::Tensor& labels,
                                 const Bootstrap& how) {
  const auto classes = logits.size(1);
  const auto right = logits.argmax(1).eq(labels);
  const auto five = std::get<1>(logits.topk(std::min<int64_t>(5, classes), 1));
  const auto among = five.eq(labels.unsqueeze(1)).any(1);
  std::vector<Named> images;
  for (int64_t i = 0; i < labels.size(0); ++i)
    images.push_back(
        {labels.data_ptr<int64_t>()[i], right.data_ptr<bool>()[i], among.data_ptr<bool>()[i]});
  const auto found = bootstrap({labels.size(0)}, how, [&](const Drawn& drawn) {
    const auto taken = sample(images, drawn[0]);
    const auto hits = std::count_if(taken.begin(), taken.end(),
                                    [](const Named& image) { return image.among_five; });
    return std::vector<double>{static_cast<double>(hits) / static_cast<double>(taken.size()),
                               balanced(taken, classes)};
  });
  return {found[0], found[1]};
}

CalibrationIntervals calibration_intervals(const torch::Tensor& logits, const torch::Tensor& labels,
                                           double temperature, const Bootstrap& how) {
  const auto answers = answers_of(logits, labels, temperature);
  const auto found = bootstrap({labels.size(0)}, how, [&](const Drawn& drawn) {
    const auto calibration = calibration_of(sample(answers, drawn[0]));
    return std::vector<double>{calibration.nll, calibration.brier, calibration.ece,
                               calibration.aece};
  });
  return {found[0], found[1], found[2], found[3]};
}

std::vector<Interval> auroc_intervals(const std::vector<RankedScores>& scores,
                                      const Bootstrap& how) {
  if (scores.empty()) return {};
  return bootstrap({scores[0].negatives(), scores[0].positives()}, how, [&](const Drawn& drawn) {
    std::vector<double> areas;
    for (const auto& one : scores) areas.push_back(one.auroc(drawn[0], drawn[1]));
    return areas;
  });
}

std::vector<Interval> aurc_intervals(const std::vector<RankedAnswers>& scores,
                                     const Bootstrap& how) {
  if (scores.empty()) return {};
  return bootstrap({scores[0].answers()}, how, [&](const Drawn& drawn) {
    std::vector<double> areas;
    for (const auto& one : scores) areas.push_back(one.aurc(drawn[0]));
    return areas;
  });
}

}  // namespace penumbra
