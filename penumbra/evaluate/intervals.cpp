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
  const auto found = bootstrap({labels.size(0)}, how,
                               [&](const Drawn& drawn) {
                                 const auto of = calibration_of(sample(answers, drawn[0]));
                                 return std::vector<double>{of.nll, of.brier, of.ece, of.aece};
                               },
                               /*biased=*/{2, 3});
  return {found[0], found[1], found[2], found[3]};
}

std::vector<DetectionIntervals> detection_intervals(const std::vector<RankedScores>& scores,
                                                    const Bootstrap& how) {
  if (scores.empty()) return {};
  const auto found =
      bootstrap({scores[0].negatives(), scores[0].positives()}, how, [&](const Drawn& drawn) {
        std::vector<double> numbers;
        for (const auto& one : scores) {
          const auto [auroc, aupr_out, aupr_in, fpr95] = one.detection(drawn[0], drawn[1]);
          numbers.insert(numbers.end(), {auroc, aupr_out, aupr_in, fpr95});
        }
        return numbers;
      });
  std::vector<DetectionIntervals> intervals;
  for (std::size_t i = 0; i < found.size(); i += 4)
    intervals.push_back({found[i], found[i + 1], found[i + 2], found[i + 3]});
  return intervals;
}

std::vector<SelectiveIntervals> selective_intervals(const std::vector<RankedAnswers>& scores,
                                                    const Bootstrap& how) {
  if (scores.empty()) return {};
  const auto found = bootstrap({scores[0].answers()}, how, [&](const Drawn& drawn) {
    std::vector<double> numbers;
    for (const auto& one : scores) {
      const auto of = one.selective(drawn[0]);
      numbers.insert(numbers.end(),
                     {of.aurc, of.augrc, of.coverage_at_5_risk, of.risk_at_80_coverage});
    }
    return numbers;
  });
  std::vector<SelectiveIntervals> intervals;
  for (std::size_t i = 0; i < found.size(); i += 4)
    intervals.push_back({found[i], found[i + 1], found[i + 2], found[i + 3]});
  return intervals;
}

}  // namespace penumbra
