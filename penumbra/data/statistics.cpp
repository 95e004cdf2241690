#include "penumbra/data/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>

#include "penumbra/core/parallel.h"

namespace penumbra {

ChannelStatistics channel_statistics(const torch::Tensor& pixels, int threads) {
  // Counting how often each value occurs is one pass of integer work, and gives both moments.
  using Histogram = std::array<uint64_t, 256>;
  const auto channels = static_cast<std::size_t>(pixels.size(3));
  const auto n = static_cast<std::size_t>(pixels.size(0));
  const auto each = static_cast<std::size_t>(pixels.size(1) * pixels.size(2));
  std::vector<Histogram> counts(channels, Histogram{});
  std::mutex mutex;
  // So few that no count of 32 bits can overflow.
  const auto at_once = std::clamp<std::size_t>((1 << 24) / std::max<std::size_t>(1, each), 1, 512);
  const auto* data = pixels.data_ptr<uint8_t>();
  parallel_for((n + at_once - 1) / at_once, threads, [&](std::size_t piece) {
    std::vector<std::array<uint32_t, 256>> local(channels, std::array<uint32_t, 256>{});
    const auto* pixel = data + piece * at_once * each * channels;
    const auto* end = data + std::min(n, (piece + 1) * at_once) * each * channels;
    for (; pixel != end; pixel += channels)
      for (std::size_t c = 0; c < channels; ++c) ++local[c][pixel[c]];
    const std::lock_guard lock(mutex);
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t v = 0; v < 256; ++v) counts[c][v] += local[c][v];
  });

  ChannelStatistics statistics;
  for (const auto& histogram : counts) {
    double count = 0, sum = 0, squares = 0;
    for (std::size_t v = 0; v < 256; ++v) {
      const auto value = static_cast<double>(v), times = static_cast<double>(histogram[v]);
      count += times;
      sum += times * value;
      squares += times * value * value;
    }
    const double mean = count > 0 ? sum / count : 0;
    const double variance = count > 0 ? squares / count - mean * mean : 0;
    statistics.mean.push_back(mean / 255);
    statistics.std.push_back(std::sqrt(std::max(0.0, variance)) / 255);
  }
  return statistics;
}

}  // namespace penumbra
