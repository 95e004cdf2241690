#include "penumbra/model/picture_input.h"

#include "penumbra/data/picture.h"
#include "tests/expect_error.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

ModelInfo model_for(int64_t channels, int64_t height, int64_t width) {
  ModelInfo model;
  model.input = {channels, height, width};
  return model;
}

// A picture whose left half is `left` and whose right half is `right`.
Picture halves(int height, int width, uint8_t left, uint8_t right) {
  Picture picture;
  picture.height = height;
  picture.width = width;
  picture.channels = 3;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      picture.pixels.insert(picture.pixels.end(), 3, 2 * x < width ? left : right);
  return picture;
}

class PictureInput : public testing::Test {
 protected:
  std::vector<uint8_t> read(const Picture& picture, const ModelInfo& model) const {
    encode_png(folder_ / "a.png", picture);
    const auto& input = model.input;
    std::vector<uint8_t> pixels(
        static_cast<std::size_t>(input.channels * input.height * input.width));
    read_picture(folder_ / "a.png", model, pixels.data());
    return pixels;
  }

  TestFolder folder_;
};

TEST_F(PictureInput, OfTheRightSizeIsTakenAsItIs) {
  const auto picture = halves(4, 6, 10, 200);
  EXPECT_EQ(read(picture, model_for(3, 4, 6)), picture.pixels);
}

TEST_F(PictureInput, OfAnotherSizeIsBroughtToTheModels) {
  const auto pixels = read(halves(32, 32, 10, 200), model_for(3, 8, 8));
  EXPECT_EQ(pixels.front(), 10);
  EXPECT_EQ(pixels.back(), 200);
}

TEST_F(PictureInput, CropCutsTheMiddleOutAndStretchKeepsAll) {
  // Three quarters of a wide picture's left side are cut away with its right side's.
  auto model = model_for(3, 8, 8);
  const auto wide = halves(8, 32, 10, 200);
  const auto cropped = read(wide, model);
  EXPECT_EQ(cropped.front(), 10);
  model.fit = "stretch";
  const auto stretched = read(wide, model);
  EXPECT_EQ(stretched.front(), 10);
  EXPECT_EQ(stretched.back(), 200);
}

TEST_F(PictureInput, BecomesGreyForAGreyModel) {
  const auto pixels = read(halves(8, 8, 10, 200), model_for(1, 8, 8));
  ASSERT_EQ(pixels.size(), 64U);
  EXPECT_EQ(pixels.front(), 10);
  EXPECT_EQ(pixels.back(), 200);
}

TEST_F(PictureInput, AModelForOblongPicturesTakesNoOthers) {
  EXPECT_THAT(error_of([&] { read(halves(8, 8, 0, 0), model_for(3, 4, 6)); }),
              HasSubstr("a picture of 8 x 8, expected 6 x 4"));
}

TEST_F(PictureInput, AModelForOtherChannelsThanPicturesHaveIsNotGivenAny) {
  for (const int64_t channels : {2, 4})
    EXPECT_THAT(error_of([&] { read(halves(8, 8, 10, 200), model_for(channels, 8, 8)); }),
                HasSubstr("pictures have one or three channels, this model takes " +
                          std::to_string(channels)));
}

TEST_F(PictureInput, WhatIsNoPictureIsAnError) {
  std::vector<uint8_t> pixels(192);
  const auto file = folder_.write("a.png", "hello");
  EXPECT_NE(error_of([&] { read_picture(file, model_for(3, 8, 8), pixels.data()); }), "");
}

Images filled(int64_t n, int64_t side, int64_t channels) {
  Images images;
  images.pixels = torch::full({n, side, side, channels}, 90, torch::kByte);
  images.labels = torch::arange(n, torch::kLong);
  return images;
}

TEST(Reshaped, SamePicturesAreNotTouched) {
  const auto images = filled(2, 8, 3);
  EXPECT_EQ(reshaped(images, model_for(3, 8, 8), 1).pixels.data_ptr(), images.pixels.data_ptr());
}

TEST(Reshaped, SizeAndChannelsBecomeTheModels) {
  for (const int64_t from : {1, 2, 3, 4})
    for (const int64_t to : {1, 2, 3, 4}) {
      const auto images = reshaped(filled(3, 8, from), model_for(to, 16, 16), 2);
      EXPECT_EQ(images.pixels.sizes(), torch::IntArrayRef({3, 16, 16, to}));
      EXPECT_TRUE(images.pixels.eq(90).all().item<bool>()) << from << " to " << to;
      EXPECT_TRUE(images.labels.equal(torch::arange(3, torch::kLong)));
    }
}

TEST(Reshaped, GreyIsTheLumaOfTheColours) {
  Images images;
  images.pixels = torch::tensor({255, 0, 0, 0, 255, 0, 0, 0, 255}, torch::kByte)
                      .reshape({3, 1, 1, 3})
                      .expand({3, 2, 2, 3})
                      .contiguous();
  images.labels = torch::zeros({3}, torch::kLong);
  const auto grey = reshaped(images, model_for(1, 2, 2), 1).pixels;
  EXPECT_EQ(grey[0][0][0][0].item<int64_t>(), 76);  // as PIL's convert("L")
  EXPECT_EQ(grey[1][0][0][0].item<int64_t>(), 150);
  EXPECT_EQ(grey[2][0][0][0].item<int64_t>(), 29);
}

TEST(Reshaped, AModelForOblongPicturesTakesNoOthers) {
  EXPECT_THAT(error_of([] { reshaped(filled(1, 8, 3), model_for(3, 4, 6), 1); }),
              HasSubstr("expected a model for square pictures"));
}

// Three squares side by side: cropping shows the middle one, stretching all.
TEST_F(PictureInput, CropShowsOnlyTheMiddleSquare) {
  Picture picture{8, 24, 3, {}};
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 24; ++x)
      picture.pixels.insert(picture.pixels.end(), 3, static_cast<uint8_t>(100 * (x / 8)));
  auto model = model_for(3, 8, 8);
  for (const auto value : read(picture, model)) EXPECT_EQ(value, 100);
  model.fit = "stretch";
  const auto stretched = read(picture, model);
  EXPECT_EQ(stretched.front(), 0);
  EXPECT_EQ(stretched.back(), 200);
}

TEST_F(PictureInput, AFileThatIsNotThereIsNamed) {
  std::vector<uint8_t> pixels(192);
  EXPECT_THAT(
      error_of([&] { read_picture(folder_ / "none.png", model_for(3, 8, 8), pixels.data()); }),
      HasSubstr("none.png: No such file"));
}

TEST(Reshaped, StretchesWhereTheModelWasTrainedSo) {
  Images images;
  images.pixels = torch::zeros({1, 4, 12, 1}, torch::kByte);
  images.pixels.slice(2, 0, 4).fill_(200);  // the left third
  images.labels = torch::zeros({1}, torch::kLong);
  auto model = model_for(1, 4, 4);
  EXPECT_EQ(reshaped(images, model, 1).pixels.max().item<int>(), 0);
  model.fit = "stretch";
  EXPECT_EQ(reshaped(images, model, 1).pixels.max().item<int>(), 200);
}

TEST(Reshaped, OfNoPicturesHasNone) {
  const auto none = reshaped(filled(0, 8, 3), model_for(1, 16, 16), 2);
  EXPECT_EQ(none.pixels.sizes(), torch::IntArrayRef({0, 16, 16, 1}));
}

}  // namespace
}  // namespace penumbra
