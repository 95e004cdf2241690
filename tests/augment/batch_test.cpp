#include "penumbra/augment/batch.h"

#include <gtest/gtest.h>

namespace penumbra {
namespace {

// The meta device knows shapes and layouts and computes nothing, so it stands for any other.
TEST(Batch, OnAnotherDeviceItsViewsAreStillRowsOfOnePiece) {
  Batch batch;
  batch.all = torch::rand({2 + 3 * 4, 3, 8, 8}).contiguous(torch::MemoryFormat::ChannelsLast);
  batch.images = batch.all.slice(0, 0, 2);
  batch.strong = {batch.all.slice(0, 2, 6)};
  batch.weak = {batch.all.slice(0, 6, 10), batch.all.slice(0, 10, 14)};
  batch.labels = torch::zeros({2}, torch::kLong);
  batch.index = torch::zeros({4}, torch::kLong);
  batch.labelled_index = torch::zeros({2}, torch::kLong);
  const auto moved = to_device(batch, torch::kMeta);
  EXPECT_TRUE(moved.all.is_meta());
  EXPECT_TRUE(moved.labels.is_meta());
  EXPECT_FALSE(moved.index.is_meta());
  EXPECT_FALSE(moved.probe.defined());
  const auto expect_rows = [&](const torch::Tensor& view, int64_t begin, int64_t rows) {
    EXPECT_EQ(view.sizes(), torch::IntArrayRef({rows, 3, 8, 8}));
    EXPECT_EQ(view.storage_offset(), begin * 3 * 8 * 8);
    EXPECT_TRUE(view.is_contiguous(torch::MemoryFormat::ChannelsLast));
  };
  expect_rows(moved.images, 0, 2);
  expect_rows(moved.strong[0], 2, 4);
  expect_rows(moved.weak[0], 6, 4);
  expect_rows(moved.weak[1], 10, 4);
}

TEST(Batch, OnTheCpuItIsTheSame) {
  Batch batch;
  batch.all = batch.images = torch::rand({2, 3, 8, 8});
  EXPECT_TRUE(to_device(batch, torch::kCPU).images.is_same(batch.images));
}

}  // namespace
}  // namespace penumbra
