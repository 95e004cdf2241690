#pragma once
#include <torch/types.h>

#include <vector>

namespace penumbra {

// Mean and deviation of each channel, of pixel values scaled to 0 .. 1.
struct ChannelStatistics {
  std::vector<double> mean, std;
};

// Over all `pixels` [N, H, W, C] uint8. Exact: whole numbers are summed.
ChannelStatistics channel_statistics(const torch::Tensor& pixels, int threads);

}  // namespace penumbra
