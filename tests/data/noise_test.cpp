#include <gtest/gtest.h>

#include "penumbra/data/dataset.h"

namespace penumbra {
namespace {

Images made_noise(const std::string& size, const std::string& channels, bool test = false) {
  Options options{{"count", "6"}, {"size", size}, {"channels", channels}};
  Reading reading;
  const auto dataset = make_dataset("noise", options);
  return test ? dataset->test(reading) : dataset->train(reading);
}

TEST(Noise, HasTheAskedShapeAndTwoKindsInTurn) {
  const auto images = made_noise("16", "1");
  EXPECT_EQ(images.pixels.sizes(), torch::IntArrayRef({6, 16, 16, 1}));
  EXPECT_TRUE(images.labels.equal(torch::tensor({0, 1, 0, 1, 0, 1}, torch::kLong)));
}

TEST(Noise, IsTheSameEveryTimeAndAnotherInTheTestSet) {
  EXPECT_TRUE(made_noise("16", "3").pixels.equal(made_noise("16", "3").pixels));
  EXPECT_FALSE(made_noise("16", "3").pixels.equal(made_noise("16", "3", /*test=*/true).pixels));
  const auto pixels = made_noise("16", "3").pixels;
  EXPECT_FALSE(pixels[0].equal(pixels[2]));
}

TEST(Noise, CoarseGrainsAreSquaresOfAnEighth) {
  const auto pixels = made_noise("32", "2").pixels[1];  // grains of 4 x 4
  for (int64_t y = 0; y < 32; y += 4)
    for (int64_t x = 0; x < 32; x += 4) {
      const auto grain = pixels.slice(0, y, y + 4).slice(1, x, x + 4);
      ASSERT_TRUE(grain.equal(grain[0][0].expand({4, 4, 2}))) << y << ' ' << x;
    }
  // 128 values, of which hardly any two neighbours agree.
  const auto centres = pixels.slice(0, 0, 32, 4).slice(1, 0, 32, 4);
  EXPECT_LT(centres.slice(1, 1, 8).eq(centres.slice(1, 0, 7)).sum().item<int64_t>(), 10);
}

TEST(Noise, MayBeOfAnySize) {
  for (const char* size : {"1", "2", "7", "33"}) {
    const auto images = made_noise(size, "4");
    EXPECT_EQ(images.height(), std::stoi(size));
    EXPECT_EQ(images.width(), std::stoi(size));
  }
}

}  // namespace
}  // namespace penumbra
