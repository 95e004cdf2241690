#include "penumbra/evaluate/intervals.h"

#include <algorithm>
#include <numeric>

#include "penumbra/evaluate/calibration.h"
#include "penumbra/evaluate/detection.h"
#include "penumbra/evaluate/selective.h"

namespace penumbra {
namespace {

template <class T>
std::vector<T> at(const std::vector<T>& values, const std::vector<int64_t>& positions) {
  std::vector<T> taken;
  taken.reserve(positions.size());
  for (const auto position : positions) taken.push_back(values[static_cast<std::size_t>(position)]);
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
    const auto sample = at(images, drawn[0]);
    const auto hits = std::count_if(sample.begin(), sample.end(),
                                    [](const Named& image) { return image.among_five; });
    return std::vector<double>{static_cast<double>(hits) / static_cast<double>(sample.size()),
                               balanced(sample, classes)};
  });
  return {found[0], found[1]};
}

CalibrationIntervals calibration_intervals(const torch::Tensor& logits, const torch::Tensor& labels,
                                           double temperature, const Bootstrap& how) {
  const auto answers = answers_of(logits, labels, temperature);
  const auto found = bootstrap({labels.size(0)}, how, [&](const Drawn& drawn) {
    const auto calibration = calibration_of(at(answers, drawn[0]));
    return std::vector<double>{calibration.nll, calibration.brier, calibration.ece,
                               calibration.adaptive_ece};
  });
  return {found[0], found[1], found[2], found[3]};
}

Interval auroc_interval(std::vector<double> familiar, std::vector<double> strangers,
                        const Bootstrap& how) {
  std::sort(familiar.begin(), familiar.end());
  std::sort(strangers.begin(), strangers.end());
  const std::vector<int64_t> groups{static_cast<int64_t>(familiar.size()),
                                    static_cast<int64_t>(strangers.size())};
  return bootstrap(groups, how, [&](const Drawn& drawn) {
    return std::vector<double>{auroc(at(familiar, drawn[0]), at(strangers, drawn[1]))};
  })[0];
}

Interval aurc_interval(const std::vector<double>& scores, const std::vector<bool>& wrong,
                       const Bootstrap& how) {
  std::vector<int64_t> order(scores.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return scores[static_cast<std::size_t>(a)] < scores[static_cast<std::size_t>(b)];
  });
  const auto sorted = at(scores, order);
  const auto sorted_wrong = at(wrong, order);
  return bootstrap({static_cast<int64_t>(scores.size())}, how, [&](const Drawn& drawn) {
    return std::vector<double>{selective_of(at(sorted, drawn[0]), at(sorted_wrong, drawn[0])).aurc};
  })[0];
}

}  // namespace penumbra
