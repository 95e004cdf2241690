#include "penumbra/augment/levels.h"

#include <gtest/gtest.h>

#include <functional>

#include "penumbra/augment/enhance.h"

namespace penumbra {
namespace {

// What becomes of a picture's bytes.
std::vector<int> changed_by(const std::function<void(Canvas&)>& change, Shape shape,
                            const std::vector<uint8_t>& pixels) {
  Canvas canvas(shape);
  canvas.load(pixels.data());
  change(canvas);
  return {canvas.front(), canvas.front() + shape.size()};
}

// Of a row of grey pixels.
std::vector<int> row_changed_by(const std::function<void(Canvas&)>& change,
                                const std::vector<uint8_t>& pixels) {
  return changed_by(change, {1, static_cast<int>(pixels.size()), 1}, pixels);
}

using Row = std::vector<int>;

TEST(Posterize, KeepsTheHighestBits) {
  const std::vector<uint8_t> row{0, 1, 127, 128, 200, 255};
  const auto kept = [&](int bits) {
    return row_changed_by([&](Canvas& canvas) { posterize(canvas, bits); }, row);
  };
  EXPECT_EQ(kept(8), (Row{0, 1, 127, 128, 200, 255}));
  EXPECT_EQ(kept(4), (Row{0, 0, 112, 128, 192, 240}));
  EXPECT_EQ(kept(1), (Row{0, 0, 0, 128, 128, 128}));
  EXPECT_EQ(kept(0), (Row{0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(kept(-3), kept(0));
  EXPECT_EQ(kept(99), kept(8));
}

TEST(Solarize, InvertsWhatIsNotBelowTheThreshold) {
  const std::vector<uint8_t> row{0, 100, 101, 128, 255};
  const auto turned = [&](double threshold) {
    return row_changed_by([&](Canvas& canvas) { solarize(canvas, threshold); }, row);
  };
  EXPECT_EQ(turned(128), (Row{0, 100, 101, 127, 0}));
  EXPECT_EQ(turned(100.5), (Row{0, 100, 154, 127, 0}));
  EXPECT_EQ(turned(0), (Row{255, 155, 154, 127, 0}));
  EXPECT_EQ(turned(256), (Row{0, 100, 101, 128, 255}));
  EXPECT_EQ(turned(-9), turned(0));
  EXPECT_EQ(turned(1e9), turned(256));
}

TEST(Invert, MayBeDoneByHalf) {
  const auto turned = [](float level) {
    return row_changed_by([&](Canvas& canvas) { invert(canvas, level); }, {0, 100, 255});
  };
  EXPECT_EQ(turned(1), (Row{255, 155, 0}));
  EXPECT_EQ(turned(0), (Row{0, 100, 255}));
  EXPECT_EQ(turned(0.5F), (Row{127, 127, 127}));  // 127.5, cut as PIL does
}

// Levels 51 to 102 are stretched by 255 / 51 = 5.
TEST(Autocontrast, StretchesEachChannelByItself) {
  const auto stretched = [](float level) {
    return changed_by([&](Canvas& canvas) { autocontrast(canvas, level); }, {1, 3, 2},
                      {51, 0, 60, 7, 102, 255});
  };
  EXPECT_EQ(stretched(1), (Row{0, 0, 45, 7, 255, 255}));
  EXPECT_EQ(stretched(0), (Row{51, 0, 60, 7, 102, 255}));
  EXPECT_EQ(row_changed_by([](Canvas& canvas) { autocontrast(canvas); }, {77, 77}),
            (Row{77, 77}));  // nothing to stretch
}

// 256 pixels of 10 and as many of 20: step = 256 / 255 = 1, so that 10 has 0 / 1 below it and 20
// has 256 / 1, cut to 255.
TEST(Equalize, SpreadsLevelsByHowManyLieBelow) {
  std::vector<uint8_t> pixels(512, 10);
  for (std::size_t i = 256; i < 512; ++i) pixels[i] = 20;
  const auto spread = changed_by([](Canvas& canvas) { equalize(canvas); }, {16, 32, 1}, pixels);
  EXPECT_EQ(spread.front(), 0);
  EXPECT_EQ(spread.back(), 255);
}

TEST(Equalize, LeavesPicturesAloneThatHaveTooFewPixels) {
  EXPECT_EQ(row_changed_by([](Canvas& canvas) { equalize(canvas); }, {1, 2, 3, 200}),
            (Row{1, 2, 3, 200}));
}

TEST(Blend, GoesBeyondItsEndsAndIsCutOff) {
  EXPECT_EQ(blend(100, 200, 0), 100);
  EXPECT_EQ(blend(100, 200, 1), 200);
  EXPECT_EQ(blend(100, 200, 0.25F), 125);
  EXPECT_EQ(blend(100, 200, 2), 255);
  EXPECT_EQ(blend(100, 200, -2), 0);
}

TEST(Brightness, ScalesEveryLevel) {
  const auto scaled = [](float factor) {
    return row_changed_by([&](Canvas& canvas) { brightness(canvas, factor); }, {0, 100, 201});
  };
  EXPECT_EQ(scaled(0), (Row{0, 0, 0}));
  EXPECT_EQ(scaled(0.5F), (Row{0, 50, 100}));
  EXPECT_EQ(scaled(1), (Row{0, 100, 201}));
  EXPECT_EQ(scaled(2), (Row{0, 200, 255}));
}

TEST(Contrast, WithoutItOnlyTheMeanIsLeft) {
  EXPECT_EQ(row_changed_by([](Canvas& canvas) { contrast(canvas, 0); }, {0, 100, 203, 100}),
            (Row{101, 101, 101, 101}));  // 403 / 4 = 100.75
  // Of a red and a black pixel: luminances 76 and 0, their mean 38.
  EXPECT_EQ(
      changed_by([](Canvas& canvas) { contrast(canvas, 0); }, {1, 2, 3}, {255, 0, 0, 0, 0, 0}),
      (Row{38, 38, 38, 38, 38, 38}));
}

TEST(Colour, WithoutItTheLuminanceIsLeft) {
  const std::vector<uint8_t> red_and_grey{255, 0, 0, 90, 90, 90};
  EXPECT_EQ(changed_by([](Canvas& canvas) { colour(canvas, 0); }, {1, 2, 3}, red_and_grey),
            (Row{76, 76, 76, 90, 90, 90}));
  EXPECT_EQ(changed_by([](Canvas& canvas) { colour(canvas, 1); }, {1, 2, 3}, red_and_grey),
            (Row{255, 0, 0, 90, 90, 90}));
  // Pictures without red, green and blue have none to take away.
  EXPECT_EQ(row_changed_by([](Canvas& canvas) { colour(canvas, 0); }, {5, 250}), (Row{5, 250}));
}

// The middle counts five times of thirteen: 5 130 / 13 = 50. The border stays.
TEST(Smooth, IsAWeightedMeanOfNeighbours) {
  const std::vector<uint8_t> dot{0, 0, 0, 0, 130, 0, 0, 0, 0};
  const auto smoothed = [&](float level) {
    return changed_by([&](Canvas& canvas) { smooth(canvas, level); }, {3, 3, 1}, dot)[4];
  };
  EXPECT_EQ(smoothed(1), 50);
  EXPECT_EQ(smoothed(0.5F), 90);
  EXPECT_EQ(smoothed(0), 130);
}

TEST(Sharpness, BeyondOneExaggeratesWhatSmoothingTakesAway) {
  const std::vector<uint8_t> dot{0, 0, 0, 0, 130, 0, 0, 0, 0};
  const auto sharpened = [&](float factor) {
    return changed_by([&](Canvas& canvas) { sharpness(canvas, factor); }, {3, 3, 1}, dot)[4];
  };
  EXPECT_EQ(sharpened(0), 50);
  EXPECT_EQ(sharpened(1), 130);
  EXPECT_EQ(sharpened(2), 210);  // 50 + 2 (130 - 50)
}

TEST(Blur, IsTheMeanOfTheRimOfFiveByFive) {
  std::vector<uint8_t> rim(25, 160);
  for (const std::size_t inside : {6, 7, 8, 11, 12, 13, 16, 17, 18}) rim[inside] = 0;
  const auto blurred = changed_by([](Canvas& canvas) { blur(canvas); }, {5, 5, 1}, rim);
  EXPECT_EQ(blurred[12], 160);
  EXPECT_EQ(blurred[6], 0);  // two pixels wide, the border stays
}

TEST(Filters, LeavePicturesAloneThatAreSmallerThanThey) {
  const std::vector<uint8_t> small{1, 200, 3, 4};
  for (const auto& change :
       {std::function<void(Canvas&)>([](Canvas& canvas) { smooth(canvas); }),
        std::function<void(Canvas&)>([](Canvas& canvas) { blur(canvas); }),
        std::function<void(Canvas&)>([](Canvas& canvas) { sharpness(canvas, 0); })})
    EXPECT_EQ(changed_by(change, {2, 2, 1}, small), (Row{1, 200, 3, 4}));
}

}  // namespace
}  // namespace penumbra
