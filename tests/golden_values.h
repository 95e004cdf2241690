#pragma once
#include <torch/types.h>

#include <cmath>
#include <fstream>
#include <string>

#include "penumbra/core/json.h"

namespace penumbra {

inline Json golden(const std::string& file) {
  std::ifstream stream(PENUMBRA_SOURCE_DIR "/tests/golden/" + file);
  return Json::parse(stream);
}

// The logits of tests/golden/make_metrics.py: [n, classes], double.
inline torch::Tensor golden_logits(int64_t n = 40, int64_t classes = 7) {
  const auto logits = torch::empty({n, classes}, torch::kDouble);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < classes; ++j)
      logits[i][j] = 3 * std::sin(1.7 * static_cast<double>(i) + 2.3 * static_cast<double>(j));
  return logits;
}

}  // namespace penumbra
