#include "penumbra/augment/view.h"

#include <functional>
#include <set>

#include "penumbra/augment/statistics.h"
#include "tests/expect_error.h"

namespace penumbra {
namespace {

constexpr Shape kSmall{6, 6, 1};

// Writes the first number that it draws, and how often it was called, into the first pixels.
class Recorder final : public Policy {
 public:
  void apply(Canvas& canvas, Random& random, int64_t step) const override {
    canvas.front()[canvas.front()[0] + 1] = static_cast<uint8_t>(random.bits() >> 24);
    canvas.front()[5] = static_cast<uint8_t>(step);
    ++canvas.front()[0];
  }
  Trace probe(Canvas&, Random& random) const override { return {{7, {random.uniform(), 0}}}; }
};

std::vector<uint8_t> fresh_view(const std::function<void(Canvas&)>& draw) {
  Canvas canvas(kSmall);
  canvas.load(std::vector<uint8_t>(36, 0).data());
  draw(canvas);
  return {canvas.front(), canvas.front() + 6};
}

TEST(View, AWeakOneIsTheWeakPolicysAlone) {
  const Recorder weak;
  const auto view = fresh_view([&](Canvas& canvas) { draw_weak(canvas, {}, 0, weak, 9); });
  EXPECT_EQ(view[0], 1);
  EXPECT_EQ(view[5], 9);
}

TEST(View, AStrongOneGetsBothPoliciesFromOneSequence) {
  const Recorder weak, strong;
  const auto view =
      fresh_view([&](Canvas& canvas) { draw_strong(canvas, {}, 0, weak, strong, 0); });
  EXPECT_EQ(view[0], 2);
  auto random = Occurrence().random(kFirstStrongView);
  EXPECT_EQ(view[1], random.bits() >> 24);
  EXPECT_EQ(view[2], random.bits() >> 24);
}

TEST(View, EverythingThatNamesItGivesOtherNumbers) {
  const Occurrence base{1, Stream::kUnlabelledViews, 2, 3};
  std::vector<Occurrence> changed(4, base);
  changed[0].seed = 9;
  changed[1].stream = Stream::kLabelledViews;
  changed[2].pass = 9;
  changed[3].image = 9;
  std::set<uint32_t> draws{base.random(0).bits(), base.random(1).bits()};
  for (const auto& other : changed) draws.insert(other.random(0).bits());
  EXPECT_EQ(draws.size(), 6U);
}

TEST(View, AProbeIsNeitherAWeakNorAStrongView) {
  const Recorder weak, strong;
  Trace trace;
  const auto view =
      fresh_view([&](Canvas& canvas) { trace = draw_probe(canvas, {}, weak, strong, 0); });
  EXPECT_EQ(view[0], 1);  // the weak policy, then the try of the strong one
  ASSERT_EQ(trace.size(), 1U);
  EXPECT_EQ(trace[0].operation, 7);
  auto random = Occurrence().random(kProbeView);
  EXPECT_EQ(view[1], random.bits() >> 24);
  EXPECT_EQ(trace[0].level[0], random.uniform());
}

TEST(ShapeOf, TellsHeightWidthAndChannels) {
  Images images;
  images.pixels = torch::empty({2, 8192, 3, 4}, torch::kByte);
  const auto shape = shape_of(images);
  EXPECT_EQ(shape.height, 8192);
  EXPECT_EQ(shape.width, 3);
  EXPECT_EQ(shape.channels, 4);
  EXPECT_EQ(shape.size(), 8192 * 3 * 4);
  EXPECT_THAT(error_of([] { shape_of(Images()); }), testing::HasSubstr("pictures of 0 channels"));
}

TEST(Normalised, GivesThePicturesInTheOrderAskedChannelsLast) {
  Images images;
  images.pixels = torch::arange(3 * 4 * 2 * 3, torch::kByte).reshape({3, 4, 2, 3});
  const Normalisation normalisation{{0.1F, 0.2F, 0.3F}, {0.5F, 0.6F, 0.7F}};
  const auto batch = normalised(images, {2, 0, 2}, normalisation);
  ASSERT_EQ(batch.sizes(), torch::IntArrayRef({3, 3, 4, 2}));
  EXPECT_TRUE(batch.is_contiguous(torch::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(batch[0].equal(batch[2]));
  for (int64_t c = 0; c < 3; ++c) {
    const auto at = static_cast<std::size_t>(c);
    const auto expected =
        (images.pixels[2].select(2, c).to(torch::kDouble) / 255 - normalisation.mean[at]) /
        normalisation.std[at];
    EXPECT_TRUE(batch[0][c].to(torch::kDouble).allclose(expected, 1e-5, 1e-6)) << c;
  }
  EXPECT_EQ(normalised(images, {}, normalisation).size(0), 0);
}

}  // namespace
}  // namespace penumbra
