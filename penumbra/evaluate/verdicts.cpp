#include "penumbra/evaluate/verdicts.h"

namespace penumbra {

Verdicts verdicts_of(const Judge& judge, const Output& output, const torch::Tensor& labels) {
  Verdicts verdicts;
  verdicts.temperature = judge.temperature();
  verdicts.calibration = calibration_of(output.logits, labels, judge.temperature());
  const auto said = judge.judge(output);
  for (std::size_t i = 0; i < said.size(); ++i) {
    auto& [images, right] = verdicts.counts[static_cast<std::size_t>(said[i].verdict)];
    ++images;
    if (said[i].label == labels[static_cast<int64_t>(i)].item<int64_t>()) ++right;
  }
  return verdicts;
}

}  // namespace penumbra
