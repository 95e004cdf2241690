#include "penumbra/augment/rescale.h"

#include <gtest/gtest.h>

namespace penumbra {
namespace {

constexpr ResizeFilter kFilters[] = {ResizeFilter::kLanczos,  ResizeFilter::kBicubic,
                                     ResizeFilter::kBilinear, ResizeFilter::kBox,
                                     ResizeFilter::kHamming,  ResizeFilter::kNearest};

// Bytes that tell where they stand.
std::vector<uint8_t> counting(const Shape& shape) {
  std::vector<uint8_t> pixels;
  pixels.reserve(static_cast<std::size_t>(shape.size()));
  for (int i = 0; i < shape.size(); ++i) pixels.push_back(static_cast<uint8_t>(i * 7 % 251));
  return pixels;
}

std::vector<uint8_t> rescaled(const Shape& shape, const std::vector<uint8_t>& pixels, double margin,
                              ResizeFilter filter) {
  Canvas canvas(shape);
  canvas.load(pixels.data());
  rescale(canvas, margin, filter);
  return {canvas.front(), canvas.front() + shape.size()};
}

TEST(Rescale, WithoutAMarginEveryFilterKeepsThePicture) {
  for (const auto filter : kFilters)
    for (const Shape shape : {Shape{9, 6, 3}, Shape{1, 1, 1}, Shape{4, 11, 4}})
      EXPECT_EQ(rescaled(shape, counting(shape), 0, filter), counting(shape))
          << static_cast<int>(filter);
}

TEST(Rescale, APlainPictureStaysPlain) {
  const Shape shape{13, 10, 3};
  for (const auto filter : kFilters)
    for (const double margin : {0.05, 0.125, 0.25, 0.4})
      for (const uint8_t level : {0, 1, 128, 255}) {
        const std::vector<uint8_t> plain(static_cast<std::size_t>(shape.size()), level);
        EXPECT_EQ(rescaled(shape, plain, margin, filter), plain)
            << static_cast<int>(filter) << ' ' << margin;
      }
}

// A quarter off every side of 8 x 8: the 4 x 4 in the middle, each pixel twice across and down.
TEST(Rescale, TheNearestPixelIsShownTwice) {
  const Shape shape{8, 8, 2};
  const auto in = counting(shape);
  const auto out = rescaled(shape, in, 0.25, ResizeFilter::kNearest);
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x)
      for (int c = 0; c < 2; ++c)
        ASSERT_EQ(out[static_cast<std::size_t>(y * 16 + x * 2 + c)],
                  in[static_cast<std::size_t>((2 + y / 2) * 16 + (2 + x / 2) * 2 + c)])
            << x << ' ' << y;
}

TEST(Rescale, OfAlmostEverythingCutOffOnePixelIsLeft) {
  const Shape shape{4, 4, 1};
  const auto in = counting(shape);
  for (const auto filter : kFilters)
    EXPECT_EQ(rescaled(shape, in, 0.499, filter), std::vector<uint8_t>(16, in[2 * 4 + 2]))
        << static_cast<int>(filter);
}

// Between two columns of 0 and 200 a wide filter may overshoot: levels are cut off, not wrapped.
TEST(Rescale, OvershootIsCutOff) {
  const Shape shape{4, 16, 1};
  std::vector<uint8_t> edge;
  edge.reserve(static_cast<std::size_t>(shape.size()));
  for (int i = 0; i < shape.size(); ++i) edge.push_back(i % 16 < 8 ? 0 : 255);
  for (const auto filter : {ResizeFilter::kLanczos, ResizeFilter::kBicubic}) {
    const auto out = rescaled(shape, edge, 0.25, filter);
    for (int x = 1; x < 16; ++x)
      EXPECT_GE(out[static_cast<std::size_t>(x)] + 20, out[static_cast<std::size_t>(x - 1)]);
    EXPECT_LT(out.front(), 30);
    EXPECT_GT(out[15], 225);
  }
}

}  // namespace
}  // namespace penumbra
