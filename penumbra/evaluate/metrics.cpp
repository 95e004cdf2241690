#include "penumbra/evaluate/metrics.h"

#include <algorithm>
#include <cmath>

#include "penumbra/core/error.h"

namespace penumbra {
namespace {

std::optional<double> ratio(int64_t part, int64_t whole) {
  if (whole == 0) return {};
  return static_cast<double>(part) / static_cast<double>(whole);
}

void check(const torch::Tensor& logits, const torch::Tensor& labels) {
  if (labels.size(0) == 0) fail("there are no labelled images to measure on");
  const auto low = labels.min().item<int64_t>(), high = labels.max().item<int64_t>();
  if (low < 0 || high >= logits.size(1))
    fail("a label is ", low < 0 ? low : high, ": the model knows the classes 0 to ",
         logits.size(1) - 1);
}

}  // namespace

Interval wilson(int64_t hits, int64_t n) {
  const double z = 1.959963984540054, total = static_cast<double>(n),
               p = ratio(hits, n).value_or(0);
  const double scale = 1 + z * z / total;
  const double middle = (p + z * z / (2 * total)) / scale;
  const double half = z / scale * std::sqrt(p * (1 - p) / total + z * z / (4 * total * total));
  return {p, std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

Metrics measure(const torch::Tensor& logits, const torch::Tensor& labels) {
  check(logits, labels);
  const auto classes = logits.size(1);
  const auto log_p = logits.to(torch::kDouble).log_softmax(1);
  const auto predicted = logits.argmax(1);
  const auto best = std::get<1>(logits.topk(std::min<int64_t>(5, classes), 1));

  Metrics metrics;
  metrics.images = labels.size(0);
  metrics.accuracy = wilson(predicted.eq(labels).sum().item<int64_t>(), metrics.images);
  metrics.top5 = best.eq(labels.unsqueeze(1)).any(1).to(torch::kDouble).mean().item<double>();
  metrics.nll = -log_p.gather(1, labels.unsqueeze(1)).mean().item<double>();

  const auto counts = (labels * classes + predicted).bincount({}, classes * classes).contiguous();
  const auto* count = counts.data_ptr<int64_t>();
  metrics.confusion.assign(static_cast<std::size_t>(classes), {});
  for (auto& row : metrics.confusion) {
    row.assign(count, count + classes);
    count += classes;
  }
  int64_t occurring = 0;
  for (std::size_t c = 0; c < metrics.confusion.size(); ++c) {
    int64_t of_class = 0, called = 0;
    for (std::size_t other = 0; other < metrics.confusion.size(); ++other) {
      of_class += metrics.confusion[c][other];
      called += metrics.confusion[other][c];
    }
    const auto right = metrics.confusion[c][c];
    metrics.per_class.push_back({of_class, ratio(right, called), ratio(right, of_class)});
    metrics.balanced_accuracy += metrics.per_class.back().recall.value_or(0);
    occurring += of_class > 0 ? 1 : 0;
  }
  metrics.balanced_accuracy /= static_cast<double>(occurring);
  return metrics;
}

}  // namespace penumbra
