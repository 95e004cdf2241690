#include "penumbra/augment/normalisation.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include "penumbra/augment/statistics.h"
#include "penumbra/core/error.h"
#include "penumbra/data/dataset.h"

namespace penumbra {
namespace {

TEST(NormalisationOf, IsThatOfTheChannels) {
  Options options{{"count", "700"}, {"size", "9"}};
  Reading reading;
  const auto images = make_dataset("blobs", options)->train(reading);
  const auto found = normalisation_of(images, 2);
  const auto levels = images.pixels.to(torch::kDouble).div(255).view({-1, 3});
  const auto mean = levels.mean(0), std = levels.std(/*dim=*/0, /*unbiased=*/false);
  for (int64_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(found.mean[static_cast<std::size_t>(c)], mean[c].item<double>(), 1e-7);
    EXPECT_NEAR(found.std[static_cast<std::size_t>(c)], std[c].item<double>(), 1e-7);
  }
}

TEST(NormalisationOf, AChannelWithoutVariationIsNotDividedByZero) {
  Images images;
  images.pixels = torch::full({4, 3, 3, 1}, 51, torch::kByte);
  const auto found = normalisation_of(images, 1);
  EXPECT_FLOAT_EQ(found.mean[0], 0.2f);
  EXPECT_EQ(found.std[0], 1.0f);
  EXPECT_THROW(normalisation_of({}, 1), Error);
}

class EveryChannelCount : public testing::TestWithParam<int> {};

TEST_P(EveryChannelCount, WritesWhatTorchComputesAndRoundsToBfloat16AsTorchDoes) {
  const int channels = GetParam();
  const Shape shape{11, 13, channels};  // no multiple of a vector
  Normalisation normalisation;
  for (int c = 0; c < channels; ++c) {
    normalisation.mean.push_back(0.4f + 0.03f * static_cast<float>(c));
    normalisation.std.push_back(0.2f + 0.05f * static_cast<float>(c));
  }
  const auto pixels =
      torch::arange(shape.size(), torch::kLong).mul(37).remainder(256).to(torch::kByte);
  const Normaliser normaliser(normalisation, shape);
  const auto exact = torch::empty({shape.size()}, torch::kFloat);
  const auto rounded = torch::empty({shape.size()}, torch::kBFloat16);
  normaliser.write(pixels.data_ptr<uint8_t>(), exact.data_ptr<float>());
  normaliser.write(pixels.data_ptr<uint8_t>(), static_cast<uint16_t*>(rounded.data_ptr()));

  const auto mean = torch::tensor(normalisation.mean).to(torch::kDouble);
  const auto std = torch::tensor(normalisation.std).to(torch::kDouble);
  const auto expected =
      (pixels.view({-1, channels}).to(torch::kDouble) / 255 - mean).div(std).view({-1});
  EXPECT_LT((exact - expected).abs().max().item<double>(), 1e-6);
  EXPECT_TRUE(rounded.equal(exact.to(torch::kBFloat16)));
}

INSTANTIATE_TEST_SUITE_P(Channels, EveryChannelCount, testing::Values(1, 2, 3, 4));

TEST(Normaliser, RefusesFactorsForOtherPictures) {
  EXPECT_THROW(Normaliser({{0.5f}, {0.5f}}, {4, 4, 3}), Error);
  EXPECT_THROW(Normaliser({{0.5f}, {0.0f}}, {4, 4, 1}), Error);
}

}  // namespace
}  // namespace penumbra
