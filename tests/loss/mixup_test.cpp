#include "penumbra/loss/mixup.h"

#include <gtest/gtest.h>

#include "penumbra/model/weights.h"

namespace penumbra {
namespace {

TEST(Mixup, MixesRowsOfAnyShape) {
  const auto a = torch::ones({2, 3, 4, 4}), b = torch::zeros({2, 3, 4, 4});
  const auto mixed = loss::mix(a, b, torch::tensor({0.75F, 1.0F}));
  EXPECT_TRUE(torch::allclose(mixed[0], torch::full({3, 4, 4}, 0.75)));
  EXPECT_TRUE(mixed[1].equal(a[1]));
}

TEST(Mixup, SharesAreAtLeastAHalfAndDistributedAsBeta) {
  const auto shares = loss::draw_shares(20000, 0.75, make_generator(1));
  EXPECT_GE(shares.min().item<double>(), 0.5);
  EXPECT_LE(shares.max().item<double>(), 1.0);
  // The variance of Beta(a, a) is 1 / (4 (2 a + 1)), and (l - 1/2)^2 is that of max(l, 1 - l).
  EXPECT_NEAR((shares - 0.5).square().mean().item<double>(), 1 / (4 * 2.5), 0.002);
  EXPECT_TRUE(shares.equal(loss::draw_shares(20000, 0.75, make_generator(1))));
}

TEST(Mixup, RowsAndTheirTargetsMeetTheSamePartnerByTheSameShare) {
  // Images that are their own number, and that number as a target.
  const auto number = torch::arange(50, torch::kFloat).reshape({50, 1});
  const auto mixed = loss::mix_rows(number, number, 0.75, make_generator(3));
  EXPECT_TRUE(mixed.images.equal(mixed.targets));
  EXPECT_FALSE(mixed.images.equal(number));
  // The own half weighs more: no row has moved by more than half the way to the furthest other.
  EXPECT_LE((mixed.images - number).abs().max().item<double>(), 24.5);
  EXPECT_TRUE(mixed.images.equal(loss::mix_rows(number, number, 0.75, make_generator(3)).images));
}

TEST(Mixup, AShareOfOneKeepsARowAndOfAHalfMeetsInTheMiddle) {
  const auto a = torch::tensor({{2.0F}, {4.0F}}), b = torch::tensor({{0.0F}, {8.0F}});
  const auto mixed = loss::mix(a, b, torch::tensor({0.5F, 0.25F}));
  EXPECT_TRUE(mixed.allclose(torch::tensor({{1.0F}, {7.0F}})));
  EXPECT_TRUE(loss::mix(a, b, torch::ones({2})).equal(a));
}

TEST(Mixup, AnotherGeneratorGivesOtherPartners) {
  const auto number = torch::arange(50, torch::kFloat).reshape({50, 1});
  EXPECT_FALSE(loss::mix_rows(number, number, 0.75, make_generator(3))
                   .images.equal(loss::mix_rows(number, number, 0.75, make_generator(4)).images));
}

TEST(Mixup, TargetsStayProbabilities) {
  const auto targets = torch::eye(6);
  const auto mixed = loss::mix_rows(torch::zeros({6, 3, 2, 2}), targets, 0.75, make_generator(1));
  EXPECT_TRUE(mixed.targets.sum(1).allclose(torch::ones({6})));
  EXPECT_GE(mixed.targets.diagonal().min().item<double>(), 0.499);  // its own counts at least half
}

}  // namespace
}  // namespace penumbra
