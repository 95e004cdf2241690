#include "penumbra/augment/geometry.h"

#include <gtest/gtest.h>

#include "penumbra/core/random.h"

namespace penumbra {
namespace {

std::vector<uint8_t> noise(const Shape& shape) {
  std::vector<uint8_t> pixels(static_cast<std::size_t>(shape.size()));
  Random random({5});
  for (auto& pixel : pixels) pixel = static_cast<uint8_t>(random.below(256));
  return pixels;
}

std::vector<uint8_t> front(Canvas& canvas) {
  return {canvas.front(), canvas.front() + canvas.shape().size()};
}

// numpy's pad(mode="reflect") by definition: 3 2 1 | 0 1 2 3 | 2 1 0
int reflected(int i, int n) {
  while (i < 0 || i >= n) i = i < 0 ? -i : 2 * (n - 1) - i;
  return i;
}

TEST(ReflectShift, ShowsTheReflectionWithoutRepeatingTheEdge) {
  for (const Shape shape : {Shape{5, 7, 3}, Shape{4, 4, 1}, Shape{3, 6, 4}, Shape{6, 3, 2}}) {
    const auto in = noise(shape);
    std::vector<uint8_t> out(in.size());
    for (int dy = 1 - shape.height; dy < shape.height; ++dy)
      for (int dx = 1 - shape.width; dx < shape.width; ++dx) {
        reflect_shift(in.data(), out.data(), shape, dx, dy);
        for (int y = 0; y < shape.height; ++y)
          for (int x = 0; x < shape.width; ++x)
            for (int c = 0; c < shape.channels; ++c) {
              const int from = reflected(y + dy, shape.height) * shape.row() +
                               reflected(x + dx, shape.width) * shape.channels + c;
              ASSERT_EQ(out[static_cast<std::size_t>(y * shape.row() + x * shape.channels + c)],
                        in[static_cast<std::size_t>(from)])
                  << "shift " << dx << " " << dy << " at " << x << " " << y;
            }
      }
  }
}

TEST(Mirror, ReversesRowsAndIsItsOwnInverse) {
  for (const int channels : {1, 2, 3, 4}) {
    const Shape shape{3, 5, channels};
    const auto in = noise(shape);
    Canvas canvas(shape);
    canvas.load(in.data());
    mirror(canvas);
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 5; ++x)
        for (int c = 0; c < channels; ++c)
          ASSERT_EQ(canvas.front()[y * shape.row() + x * channels + c],
                    in[static_cast<std::size_t>(y * shape.row() + (4 - x) * channels + c)]);
    mirror(canvas);
    EXPECT_EQ(front(canvas), in);
  }
}

TEST(Affine, TheIdentityKeepsEveryPixelWithEitherInterpolation) {
  for (const auto interpolation : {Interpolation::kNearest, Interpolation::kBilinear})
    for (const int channels : {1, 2, 3, 4}) {
      const Shape shape{9, 6, channels};
      const auto in = noise(shape);
      Canvas canvas(shape);
      canvas.load(in.data());
      affine(canvas, {1, 0, 0, 0, 1, 0}, interpolation);
      EXPECT_EQ(front(canvas), in) << channels;
    }
}

TEST(Affine, ShowsBlackWhereThePictureEnds) {
  Canvas canvas({8, 8, 3});
  canvas.load(std::vector<uint8_t>(192, 200).data());
  translate(canvas, 3, -2, Interpolation::kNearest);
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x)
      EXPECT_EQ(canvas.front()[y * 24 + x * 3], y >= 2 && x < 5 ? 200 : 0) << x << " " << y;
  translate(canvas, 100, 0, Interpolation::kNearest);
  EXPECT_EQ(front(canvas), std::vector<uint8_t>(192, 0));
}

TEST(Cutout, PaintsExactlyTheSquareAndStopsAtTheEdges) {
  Canvas canvas({6, 7, 3});
  canvas.load(std::vector<uint8_t>(126, 9).data());
  cutout(canvas, -2, 4, 3, 99, {1, 2, 3, 4});
  for (int y = 0; y < 6; ++y)
    for (int x = 0; x < 7; ++x)
      for (int c = 0; c < 3; ++c)
        EXPECT_EQ(canvas.front()[y * 21 + x * 3 + c], x < 3 && y >= 4 ? c + 1 : 9);
}

TEST(Affine, NothingToDoKeepsEveryPixel) {
  for (const auto interpolation : {Interpolation::kNearest, Interpolation::kBilinear}) {
    const Shape shape{7, 10, 3};
    const auto in = noise(shape);
    Canvas canvas(shape);
    canvas.load(in.data());
    rotate(canvas, 0, interpolation);
    shear_x(canvas, 0, interpolation);
    shear_y(canvas, 0, interpolation);
    translate(canvas, 0, 0, interpolation);
    EXPECT_EQ(front(canvas), in);
  }
}

TEST(Affine, HalfAPixelIsTheMeanOfTwoWhereItIsBilinear) {
  Canvas canvas({1, 4, 1});
  canvas.load(std::vector<uint8_t>{10, 30, 50, 70}.data());
  affine(canvas, {1, 0, 0.5, 0, 1, 0}, Interpolation::kBilinear);
  EXPECT_NEAR(canvas.front()[0], 20, 1);
  EXPECT_NEAR(canvas.front()[1], 40, 1);
  EXPECT_NEAR(canvas.front()[2], 60, 1);
}

TEST(Affine, TurnedByHalfACircleTheFirstPixelIsTheLast) {
  const Shape shape{6, 6, 3};
  const auto in = noise(shape);
  Canvas canvas(shape);
  canvas.load(in.data());
  rotate(canvas, 180, Interpolation::kNearest);
  // The middle: the last digits of pi decide at the very edge.
  for (int y = 1; y < 5; ++y)
    for (int x = 1; x < 5; ++x)
      for (int c = 0; c < 3; ++c)
        EXPECT_EQ(canvas.front()[y * 18 + x * 3 + c],
                  in[static_cast<std::size_t>((5 - y) * 18 + (5 - x) * 3 + c)])
            << x << ' ' << y;
}

TEST(Cutout, OfNoSizeOrOutsidePaintsNothing) {
  const Shape shape{5, 5, 1};
  const auto in = noise(shape);
  Canvas canvas(shape);
  canvas.load(in.data());
  cutout(canvas, 2, 2, 2, 2, {9, 9, 9, 9});
  cutout(canvas, 3, 3, 1, 1, {9, 9, 9, 9});
  cutout(canvas, -9, -9, -1, -1, {9, 9, 9, 9});
  cutout(canvas, 5, 0, 99, 5, {9, 9, 9, 9});
  EXPECT_EQ(front(canvas), in);
  cutout(canvas, -99, -99, 99, 99, {9, 9, 9, 9});
  EXPECT_EQ(front(canvas), std::vector<uint8_t>(25, 9));
}

}  // namespace
}  // namespace penumbra
