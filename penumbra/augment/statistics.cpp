#include "penumbra/augment/statistics.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "penumbra/core/error.h"
#include "penumbra/core/parallel.h"

namespace penumbra {
namespace {

struct Sums {
  std::vector<uint64_t> levels, squares;
};

}  // namespace

Normalisation channel_statistics(const Images& images, const std::vector<int64_t>& indices,
                                 int threads) {
  if (indices.empty()) fail("no pictures to take channel statistics of: expected at least one");
  const auto channels = static_cast<std::size_t>(images.channels());
  const auto pixels = images.pixels.contiguous();
  const auto size = static_cast<std::size_t>(pixels.numel() / std::max<int64_t>(1, images.size()));
  const uint8_t* data = pixels.data_ptr<uint8_t>();
  Sums total{std::vector<uint64_t>(channels), std::vector<uint64_t>(channels)};
  std::mutex mutex;
  constexpr std::size_t kBlock = 256;
  parallel_for((indices.size() + kBlock - 1) / kBlock, threads, [&](std::size_t block) {
    Sums sums{std::vector<uint64_t>(channels), std::vector<uint64_t>(channels)};
    const auto end = std::min(indices.size(), (block + 1) * kBlock);
    for (auto i = block * kBlock; i < end; ++i) {
      const uint8_t* picture = data + static_cast<std::size_t>(indices[i]) * size;
      for (std::size_t c = 0; c < channels; ++c) {
        uint64_t levels = 0, squares = 0;
        for (auto k = c; k < size; k += channels) {
          const uint32_t level = picture[k];
          levels += level;
          squares += level * level;
        }
        sums.levels[c] += levels;
        sums.squares[c] += squares;
      }
    }
    const std::lock_guard lock(mutex);
    for (std::size_t c = 0; c < channels; ++c) {
      total.levels[c] += sums.levels[c];
      total.squares[c] += sums.squares[c];
    }
  });
  Normalisation result;
  const auto n = static_cast<double>(indices.size() * (size / channels));
  for (std::size_t c = 0; c < channels; ++c) {
    const double mean = static_cast<double>(total.levels[c]) / n;
    const double variance = static_cast<double>(total.squares[c]) / n - mean * mean;
    result.mean.push_back(static_cast<float>(mean / 255));
    result.std.push_back(variance > 1e-9 ? static_cast<float>(std::sqrt(variance) / 255) : 1.0f);
  }
  return result;
}

}  // namespace penumbra
