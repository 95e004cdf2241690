#include "penumbra/evaluate/calibration.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace penumbra {
namespace {

struct Bins {
  std::vector<double> confidence, right;  // sums
  std::vector<int64_t> images;

  explicit Bins(std::size_t count) : confidence(count), right(count), images(count) {}

  void add(std::size_t bin, double sure, bool is_right) {
    confidence[bin] += sure;
    right[bin] += is_right ? 1 : 0;
    ++images[bin];
  }
  ReliabilityBin at(std::size_t bin) const {
    const auto n = static_cast<double>(std::max<int64_t>(1, images[bin]));
    return {confidence[bin] / n, right[bin] / n, images[bin]};
  }
};

// sum over bins of (images in it / all) |confidence - accuracy|
double expected_error(const Bins& bins) {
  const double all =
      static_cast<double>(std::accumulate(bins.images.begin(), bins.images.end(), int64_t{0}));
  double error = 0;
  for (std::size_t b = 0; b < bins.images.size(); ++b) {
    const auto bin = bins.at(b);
    error += static_cast<double>(bin.images) / all * std::abs(bin.confidence - bin.accuracy);
  }
  return error;
}

}  // namespace

std::vector<Answer> answers_of(const torch::Tensor& logits, const torch::Tensor& labels,
                               double temperature) {
  const auto log_p = (logits.to(torch::kDouble) / temperature).log_softmax(1);
  const auto p = log_p.exp();
  const auto known = torch::one_hot(labels, logits.size(1)).to(p);
  const auto [confidence, predicted] = p.max(1);
  const auto right = predicted.eq(labels);
  const auto brier = (p - known).square().sum(1), nll = -(log_p * known).sum(1);
  std::vector<Answer> answers;
  for (int64_t i = 0; i < labels.size(0); ++i)
    answers.push_back({confidence.data_ptr<double>()[i], right.data_ptr<bool>()[i],
                       brier.data_ptr<double>()[i], nll.data_ptr<double>()[i]});
  std::stable_sort(answers.begin(), answers.end(),
                   [](const Answer& a, const Answer& b) { return a.confidence < b.confidence; });
  return answers;
}

Calibration calibration_of(const std::vector<Answer>& answers) {
  const auto n = answers.size(), count = static_cast<std::size_t>(kReliabilityBins);
  Calibration found;
  Bins wide(count), full(count);
  for (std::size_t rank = 0; rank < n; ++rank) {
    const auto& [confidence, right, brier, nll] = answers[rank];
    // (low, high]: a confidence of 1 is in the last bin.
    const auto bin = static_cast<std::size_t>(std::ceil(confidence * static_cast<double>(count)));
    wide.add(std::min(count, std::max<std::size_t>(1, bin)) - 1, confidence, right);
    full.add(rank * count / n, confidence, right);
    found.brier += brier / static_cast<double>(n);
    found.nll += nll / static_cast<double>(n);
  }
  found.ece = expected_error(wide);
  found.aece = expected_error(full);
  for (std::size_t b = 0; b < count; ++b) {
    found.bins.push_back(wide.at(b));
    const auto& bin = found.bins.back();
    if (bin.images > 0) found.mce = std::max(found.mce, std::abs(bin.confidence - bin.accuracy));
  }
  return found;
}

Calibration calibration_of(const torch::Tensor& logits, const torch::Tensor& labels,
                           double temperature) {
  return calibration_of(answers_of(logits, labels, temperature));
}

}  // namespace penumbra
