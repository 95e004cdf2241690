#include "penumbra/data/label_check.h"

#include <fmt/format.h>

#include "penumbra/data/images.h"

namespace penumbra {

void check_labels(const torch::Tensor& labels, int64_t first, int64_t last,
                  const std::filesystem::path& file, Reading& reading) {
  constexpr int64_t kMostListed = 10;
  int64_t wrong = 0;
  auto* label = labels.data_ptr<int64_t>();
  for (int64_t i = 0; i < labels.size(0); ++i) {
    if (first <= label[i] && label[i] <= last) continue;
    if (++wrong <= kMostListed)
      reading.broken({file.string(), fmt::format("record {}", i),
                      fmt::format("label {}, expected {} to {}", label[i], first, last)});
    label[i] = kUnlabelled;
  }
  if (wrong <= kMostListed) return;
  const auto more = fmt::format("{} more labels out of range", wrong - kMostListed);
  reading.broken({file.string(), "", more});
}

}  // namespace penumbra
