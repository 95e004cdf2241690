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

Calibration calibration_of(const torch::Tensor& logits, const torch::Tensor& labels,
                           double temperature) {
  const auto p = (logits.to(torch::kDouble) / temperature).softmax(1);
  const auto known = torch::one_hot(labels, logits.size(1)).to(p);
  const auto [confidence, predicted] = p.max(1);
  const auto right = predicted.eq(labels);
  const auto* sure = confidence.data_ptr<double>();
  const auto* is_right = right.data_ptr<bool>();
  const auto n = static_cast<std::size_t>(labels.size(0));

  const auto count = static_cast<std::size_t>(kReliabilityBins);
  Bins wide(count), full(count);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sure[a] < sure[b]; });
  for (std::size_t rank = 0; rank < n; ++rank) {
    const auto i = order[rank];
    // (low, high]: a confidence of 1 is in the last bin.
    const auto bin = static_cast<std::size_t>(std::ceil(sure[i] * static_cast<double>(count)));
    wide.add(std::min(count, std::max<std::size_t>(1, bin)) - 1, sure[i], is_right[i]);
    full.add(rank * count / n, sure[i], is_right[i]);
  }
  Calibration found;
  found.brier = (p - known).square().sum(1).mean().item<double>();
  found.ece = expected_error(wide);
  found.adaptive_ece = expected_error(full);
  for (std::size_t b = 0; b < count; ++b) {
    found.bins.push_back(wide.at(b));
    const auto& bin = found.bins.back();
    if (bin.images > 0) found.mce = std::max(found.mce, std::abs(bin.confidence - bin.accuracy));
  }
  return found;
}

}  // namespace penumbra
