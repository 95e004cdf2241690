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

TEST(Blobs, TheSquareOfAClassStandsInItsOwnPlace) {
  Options options{{"count", "16"},
                  {"size", "16"},
                  {"channels", "1"},
                  {"classes", "16"},
                  {"noise", "1"}};  // noise of one grey level is none
  Reading reading;
  const auto images = make_dataset("blobs", options)->train(reading);
  for (int64_t i = 0; i < 16; ++i) {
    auto expected = torch::zeros({16, 16, 1}, torch::kByte);
    expected.slice(0, i / 4 * 4, i / 4 * 4 + 4).slice(1, i % 4 * 4, i % 4 * 4 + 4).fill_(100);
    EXPECT_TRUE(images.pixels[i].equal(expected)) << i;
    EXPECT_EQ(images.labels[i].item<int64_t>(), i);
  }
}

TEST(Blobs, TheTestSetIsAQuarterAndNeverEmpty) {
  Reading reading;
  for (const auto& [count, expected] :
       std::vector<std::pair<std::string, int64_t>>{{"40", 10}, {"7", 1}, {"3", 1}, {"1", 1}}) {
    Options options{{"count", count}, {"size", "4"}};
    EXPECT_EQ(make_dataset("blobs", options)->test(reading).size(), expected) << count;
  }
}

}  // namespace
}  // namespace penumbra
