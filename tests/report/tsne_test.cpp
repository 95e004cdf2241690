#include "penumbra/report/tsne.h"

#include <gtest/gtest.h>

#include "penumbra/model/weights.h"

namespace penumbra {
namespace {

// Five clouds in twenty dimensions, row i of cloud i mod 5.
torch::Tensor clouds(int64_t n) {
  auto generator = make_generator(1);
  const auto centres = 10 * torch::randn({5, 20}, generator);
  return centres.index_select(0, torch::arange(n, torch::kLong).remainder(5)) +
         torch::randn({n, 20}, generator);
}

TEST(Tsne, KeepsNeighboursTogether) {
  const int64_t n = 400;
  const auto map = tsne(clouds(n), {});
  ASSERT_EQ(map.sizes(), torch::IntArrayRef({n, 2}));
  auto apart = torch::cdist(map, map);
  apart.fill_diagonal_(1e9);
  const auto cloud = torch::arange(n, torch::kLong).remainder(5);
  const auto nearest = cloud.index_select(0, apart.argmin(1));
  EXPECT_GT(nearest.eq(cloud).to(torch::kDouble).mean().item<double>(), 0.99);
  // Clouds are islands: wider apart than they are wide.
  const auto of_cloud = [&](int64_t c) { return map.index({cloud == c}); };
  for (int64_t c = 1; c < 5; ++c) {
    const auto between = (of_cloud(0).mean(0) - of_cloud(c).mean(0)).norm().item<double>();
    EXPECT_GT(between, 2 * of_cloud(c).std(0).norm().item<double>()) << c;
  }
}

TEST(Tsne, GivesTheSameMapForTheSameRowsAndSaysHowFarItIs) {
  TsneOptions options;
  options.iterations = 40;
  int64_t calls = 0;
  const auto first = tsne(clouds(100), options, [&](int64_t done, int64_t all) {
    EXPECT_EQ(done, ++calls);
    EXPECT_EQ(all, 40);
  });
  EXPECT_EQ(calls, 40);
  EXPECT_TRUE(first.equal(tsne(clouds(100), options)));
}

TEST(Tsne, BearsFewRowsAndEqualOnes) {
  EXPECT_EQ(tsne(torch::zeros({0, 3}), {}).size(0), 0);
  EXPECT_EQ(tsne(torch::zeros({2, 3}), {}).size(0), 2);
  EXPECT_TRUE(tsne(torch::ones({20, 3}), {}).isfinite().all().item<bool>());
  EXPECT_TRUE(tsne(clouds(7), {}).isfinite().all().item<bool>());
  EXPECT_TRUE(tsne(clouds(30).slice(1, 0, 1), {}).isfinite().all().item<bool>());
}

}  // namespace
}  // namespace penumbra
