#include <gtest/gtest.h>

#include "penumbra/data/dataset.h"

namespace penumbra {
namespace {

TEST(Blobs, HasTheAskedShapeAndEveryClass) {
  Options options{{"count", "40"}, {"size", "8"}, {"channels", "1"}, {"classes", "5"}};
  Reading reading;
  const auto dataset = make_dataset("blobs", options);
  const auto images = dataset->train(reading);
  EXPECT_EQ(images.pixels.sizes(), torch::IntArrayRef({40, 8, 8, 1}));
  EXPECT_EQ(images.labels.bincount().sizes(), torch::IntArrayRef({5}));
  EXPECT_TRUE(images.pixels.equal(dataset->train(reading).pixels));
  EXPECT_FALSE(images.pixels.slice(0, 0, 10).equal(dataset->test(reading).pixels));
}

}  // namespace
}  // namespace penumbra
