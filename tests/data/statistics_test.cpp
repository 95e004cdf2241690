#include "penumbra/data/statistics.h"

#include <gtest/gtest.h>

namespace penumbra {
namespace {

TEST(ChannelStatistics, AreExactForAnyThreadsAndChannels) {
  const auto pixels =
      torch::arange(1500 * 3 * 5 * 2).remainder(251).to(torch::kByte).view({1500, 3, 5, 2});
  const auto values = pixels.to(torch::kDouble).view({-1, 2}) / 255;
  for (const int threads : {1, 3}) {
    const auto statistics = channel_statistics(pixels, threads);
    ASSERT_EQ(statistics.mean.size(), 2u);
    for (int c = 0; c < 2; ++c) {
      EXPECT_NEAR(statistics.mean[c], values.select(1, c).mean().item<double>(), 1e-12);
      EXPECT_NEAR(statistics.std[c], values.select(1, c).std(/*unbiased=*/false).item<double>(),
                  1e-12);
    }
  }
}

TEST(ChannelStatistics, OfNothingOrAConstantAreFinite) {
  EXPECT_EQ(channel_statistics(torch::empty({0, 2, 2, 1}, torch::kByte), 2).std[0], 0);
  EXPECT_EQ(channel_statistics(torch::full({9, 2, 2, 1}, 77, torch::kByte), 2).std[0], 0);
}

}  // namespace
}  // namespace penumbra
