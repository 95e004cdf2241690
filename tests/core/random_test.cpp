#include "penumbra/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace penumbra {
namespace {

TEST(Random, IsPhiloxWithTheKeyAsCounter) {
  // Known answer of Random123's kat_vectors: philox4x32 10 rounds, all counters and keys zero.
  Random random({0, Stream::kSplit, 0, 0, 0});
  EXPECT_EQ(random.bits(), 0x6627e8d5u);
  EXPECT_EQ(random.bits(), 0xe169c58du);
  EXPECT_EQ(random.bits(), 0xbc57ac4cu);
  EXPECT_EQ(random.bits(), 0x9b00dbd8u);
}

TEST(Random, EveryPartOfTheKeyGivesAnotherSequence) {
  const RandomKey base{1, Stream::kLabelledViews, 2, 3, 4};
  const auto first = [](const RandomKey& key) { return Random(key).bits(); };
  std::array<RandomKey, 6> keys{base, base, base, base, base, base};
  keys[1].seed = 2;
  keys[2].stream = Stream::kUnlabelledViews;
  keys[3].epoch = 3;
  keys[4].image = 4;
  keys[5].view = 5;
  for (std::size_t i = 1; i < keys.size(); ++i) EXPECT_NE(first(base), first(keys[i])) << i;
  EXPECT_EQ(first(base), first(keys[0]));
}

TEST(Random, UniformFillsTheUnitInterval) {
  Random random({7});
  double sum = 0, low = 1, high = 0;
  for (int i = 0; i < 100000; ++i) {
    const double value = random.uniform();
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 1);
    sum += value;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  EXPECT_NEAR(sum / 100000, 0.5, 0.005);
  EXPECT_LT(low, 1e-3);
  EXPECT_GT(high, 1 - 1e-3);
}

TEST(Random, BelowIsUniformAndInRange) {
  Random random({8});
  std::array<int, 7> counts{};
  for (int i = 0; i < 70000; ++i) ++counts.at(random.below(7));
  for (const int count : counts) EXPECT_NEAR(count, 10000, 400);
  EXPECT_EQ(random.below(1), 0u);
}

TEST(Shuffle, IsAPermutationThatDependsOnTheSeedAlone) {
  const auto shuffled = [](uint64_t seed) {
    std::vector<int> items(1000);
    std::iota(items.begin(), items.end(), 0);
    Random random({seed});
    shuffle(items, random);
    return items;
  };
  auto items = shuffled(1);
  EXPECT_EQ(items, shuffled(1));
  EXPECT_NE(items, shuffled(2));
  std::sort(items.begin(), items.end());
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(items[static_cast<std::size_t>(i)], i);
}

TEST(Random, UniformBetweenBoundsStaysBetweenThem) {
  Random random({9});
  for (int i = 0; i < 10000; ++i) {
    const float value = random.uniform(-2, 3);
    ASSERT_GE(value, -2);
    ASSERT_LE(value, 3);
  }
}

TEST(Random, ChanceIsAsLikelyAsItSays) {
  Random random({10});
  int hits = 0;
  for (int i = 0; i < 10000; ++i) {
    hits += random.chance(0.2F) ? 1 : 0;
    ASSERT_FALSE(random.chance(0));
    ASSERT_TRUE(random.chance(1));
  }
  EXPECT_NEAR(hits, 2000, 160);  // four deviations of sqrt(10000 0.2 0.8) = 40
}

// Lemire's rejection matters where n is no power of two and large.
TEST(Random, BelowALargeNumberHasNoBias) {
  Random random({11});
  const uint32_t n = 3U << 30;
  int threes = 0;
  for (int i = 0; i < 30000; ++i) {
    const auto drawn = random.below(n);
    ASSERT_LT(drawn, n);
    threes += drawn % 3 == 0 ? 1 : 0;
  }
  // Without rejection 4k and 4k + 1 would both give 3k, and half of all be multiples of three.
  EXPECT_NEAR(threes, 10000, 350);
}

TEST(Shuffle, OfNothingOrOneDoesNothing) {
  Random random({12});
  std::vector<int> none, one{7};
  shuffle(none, random);
  shuffle(one, random);
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(one, std::vector<int>{7});
}

}  // namespace
}  // namespace penumbra
