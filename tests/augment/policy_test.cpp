// What every policy must do, whoever wrote it.
#include "penumbra/augment/policy.h"

#include <gmock/gmock.h>

#include <set>

#include "penumbra/core/error.h"

namespace penumbra {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<uint8_t> picture(const Shape& shape) {
  std::vector<uint8_t> pixels;
  pixels.reserve(static_cast<std::size_t>(shape.size()));
  Random random({9});
  for (int i = 0; i < shape.size(); ++i)
    pixels.push_back(static_cast<uint8_t>((i * 7 / shape.channels + random.below(64)) % 256));
  return pixels;
}

std::vector<uint8_t> augment(const Policy& policy, const Shape& shape, uint32_t image) {
  Canvas canvas(shape);
  canvas.load(picture(shape).data());
  Random random({1, Stream::kUnlabelledViews, 0, image, 0});
  policy.apply(canvas, random, /*step=*/0);
  return {canvas.front(), canvas.front() + shape.size()};
}

class EveryPolicy : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Policy> make() const {
    Options options;
    return make_policy(GetParam(), options);
  }
};

TEST_P(EveryPolicy, TakesAnySizeAndOneToFourChannels) {
  const auto policy = make();
  for (const int channels : {1, 2, 3, 4})
    for (const auto& [height, width] : std::vector<std::pair<int, int>>{
             {1, 1}, {2, 3}, {5, 4}, {8, 8}, {29, 37}, {32, 32}, {84, 84}}) {
      const Shape shape{height, width, channels};
      policy->check(shape);
      for (uint32_t image = 0; image < 100; ++image)
        ASSERT_EQ(augment(*policy, shape, image).size(), static_cast<std::size_t>(shape.size()));
    }
}

TEST_P(EveryPolicy, DependsOnItsRandomNumbersAlone) {
  const auto policy = make(), other = make();
  const Shape shape{32, 32, 3};
  std::vector<std::vector<uint8_t>> first;
  for (uint32_t image = 0; image < 50; ++image) first.push_back(augment(*policy, shape, image));
  for (uint32_t image = 50; image-- > 0;)
    ASSERT_EQ(augment(*other, shape, image), first[image]) << image;
}

TEST_P(EveryPolicy, DrawsAnewForEachPictureUnlessItDoesNothing) {
  const auto policy = make();
  const Shape shape{32, 32, 3};
  std::set<std::vector<uint8_t>> results;
  for (uint32_t image = 0; image < 50; ++image) results.insert(augment(*policy, shape, image));
  if (GetParam() == "none")
    EXPECT_EQ(results, std::set<std::vector<uint8_t>>{picture(shape)});
  else
    EXPECT_GT(results.size(), 35u);
}

TEST_P(EveryPolicy, RejectsAnOptionItDoesNotHave) {
  Options options{{"no_such_option", "1"}};
  EXPECT_THAT([&] { make_policy(GetParam(), options); },
              ThrowsMessage<Error>(HasSubstr("does not know 'no_such_option'")));
}

TEST_P(EveryPolicy, SavesAndLoadsItsState) {
  const auto policy = make(), other = make();
  other->load(policy->save());
  EXPECT_EQ(augment(*other, {32, 32, 3}, 1), augment(*policy, {32, 32, 3}, 1));
  EXPECT_TRUE(other->save() == policy->save());
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& part : list_policies()) all.push_back(part.name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Policies, EveryPolicy, testing::ValuesIn(names()),
                         [](const auto& test) { return test.param; });

TEST(Policies, AreTheFourOfTheDesign) {
  EXPECT_EQ(names(), (std::vector<std::string>{"ctaugment", "flip_crop", "none", "randaugment"}));
}

TEST(Policies, AWrongNameListsTheRightOnes) {
  Options options;
  EXPECT_THAT([&] { make_policy("randaug", options); },
              ThrowsMessage<Error>(HasSubstr("no policy 'randaug'; there are: ctaugment")));
}

TEST(FlipCrop, MovesByAtMostAnEighthAndMirrorsHalf) {
  // One bright pixel in the middle shows where the picture went.
  const Shape shape{32, 32, 1};
  std::vector<uint8_t> dot(1024, 0);
  dot[16 * 32 + 10] = 255;
  for (const bool mirrors : {true, false}) {
    Options options{{"mirror", mirrors ? "true" : "false"}};
    const auto policy = make_policy("flip_crop", options);
    int mirrored = 0;
    std::set<int> rows, columns;
    Canvas canvas(shape);
    for (uint32_t image = 0; image < 2000; ++image) {
      canvas.load(dot.data());
      Random random({1, Stream::kLabelledViews, 0, image, 0});
      policy->apply(canvas, random, 0);
      for (int i = 0; i < 1024; ++i) {
        if (canvas.front()[i] == 0) continue;
        const bool flipped = i % 32 > 15;  // 10 +- 4 or 21 +- 4
        mirrored += flipped;
        rows.insert(i / 32 - 16);
        columns.insert(flipped ? 31 - i % 32 - 10 : i % 32 - 10);
      }
    }
    EXPECT_EQ(rows, (std::set<int>{-4, -3, -2, -1, 0, 1, 2, 3, 4}));
    EXPECT_EQ(columns, rows);
    if (mirrors)
      EXPECT_NEAR(mirrored, 1000, 110);
    else
      EXPECT_EQ(mirrored, 0);
  }
}

TEST(FlipCrop, RefusesPaddingAsLargeAsThePicture) {
  Options options{{"pad", "1"}};
  const auto policy = make_policy("flip_crop", options);
  EXPECT_THAT(
      [&] {
        policy->check({32, 32, 3});
      },
      ThrowsMessage<Error>(HasSubstr("padding of 32 pixels around pictures of 32x32")));
}

TEST(RandAugment, RefusesMagnitudesAndDialectsThatDoNotExist) {
  Options magnitude{{"magnitude", "11"}}, dialect{{"dialect", "auto"}};
  Options unread{{"dialect", "usb"}, {"magnitude", "5"}};
  EXPECT_THAT([&] { make_policy("randaugment", magnitude); },
              ThrowsMessage<Error>(HasSubstr("option 'magnitude' is '11': expected a whole number "
                                             "from 2 to 10")));
  EXPECT_THAT([&] { make_policy("randaugment", dialect); },
              ThrowsMessage<Error>(HasSubstr("expected fixmatch, simple or usb")));
  EXPECT_THAT([&] { make_policy("randaugment", unread); },
              ThrowsMessage<Error>(HasSubstr("does not know 'magnitude'")));
}

TEST(RandAugment, WithoutOperationsPaintsOnlyTheCutout) {
  const Shape shape{32, 32, 3};
  const auto before = picture(shape);
  Options options{{"operations", "0"}}, nothing{{"operations", "0"}, {"cutout", "0"}};
  const auto after = augment(*make_policy("randaugment", options), shape, 4);
  int painted = 0;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (after[i] != before[i]) {
      EXPECT_EQ(after[i], 127);
      ++painted;
    }
  EXPECT_GT(painted, 100);
  EXPECT_LE(painted, 16 * 16 * 3);
  EXPECT_EQ(augment(*make_policy("randaugment", nothing), shape, 4), before);
}

TEST(RandAugment, PaintsGreyPicturesWithTheLuminanceOfThePaint) {
  Options options{{"dialect", "usb"}, {"operations", "0"}};
  const Shape shape{32, 32, 1};
  Canvas canvas(shape);
  canvas.load(std::vector<uint8_t>(1024, 7).data());
  Random random({1, Stream::kUnlabelledViews, 0, 1, 0});
  make_policy("randaugment", options)->apply(canvas, random, 0);
  const std::set<int> levels(canvas.front(), canvas.front() + 1024);
  EXPECT_EQ(levels, (std::set<int>{7, 123}));
}

std::string value_of(const Options& options, std::string_view key) {
  for (const auto& option : options.described())
    if (option.key == key) return option.value;
  return "not read";
}

TEST(MakePolicies, GivesBothPoliciesTheirOptionsAndKnowsTheirUnion) {
  Options good{{"dialect", "usb"}, {"pad", "0.25"}}, bad{{"dialekt", "usb"}};
  make_policies("randaugment", good, /*mirrors=*/false);
  EXPECT_EQ(value_of(good, "mirror"), "false");
  EXPECT_EQ(value_of(good, "cutout"), "0.5");
  EXPECT_THAT([&] { make_policies("randaugment", bad, true); },
              ThrowsMessage<Error>(HasSubstr("does not know 'dialekt'; it knows 'weak' 'mirror'")));
}

TEST(MakePolicies, TheOptionBeatsWhatTheDataSays) {
  Options options{{"mirror", "true"}};
  make_policies("randaugment", options, /*mirrors=*/false);
  EXPECT_EQ(value_of(options, "mirror"), "true");
}

TEST(MakePolicies, WhatLearnsIsNoWeakPolicy) {
  Options options{{"weak", "ctaugment"}};
  EXPECT_THAT([&] { make_policies("randaugment", options, true); },
              ThrowsMessage<Error>("augment.weak = ctaugment learns from what strong views do: "
                                   "expected a policy that does not, such as flip_crop"));
  Options unknown{{"weak", "flop"}};
  EXPECT_THAT([&] { make_policies("randaugment", unknown, true); },
              ThrowsMessage<Error>(HasSubstr("no policy 'flop'; there are: ctaugment")));
}

TEST(MakePolicies, TheSamePolicyIsNotAppliedTwice) {
  Options options;
  const auto policies = make_policies("flip_crop", options, /*mirrors=*/true);
  const Shape shape{32, 32, 3};
  EXPECT_NE(augment(*policies.weak, shape, 1), picture(shape));
  EXPECT_EQ(augment(*policies.strong, shape, 1), picture(shape));
}

TEST(MakePolicies, OnlyAPolicyThatMirrorsIsTold) {
  Options none{{"weak", "none"}};
  const auto policies = make_policies("randaugment", none, /*mirrors=*/true);
  EXPECT_EQ(value_of(none, "mirror"), "not read");
  EXPECT_FALSE(policies.weak->mirrors());
  Options usual;
  EXPECT_TRUE(make_policies("randaugment", usual, /*mirrors=*/true).weak->mirrors());
}

}  // namespace
}  // namespace penumbra
