#include "penumbra/augment/passes.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace penumbra {
namespace {

std::vector<int64_t> items_of(const std::vector<Passes::Draw>& draws) {
  std::vector<int64_t> items;
  for (const auto& draw : draws) items.push_back(draw.item);
  return items;
}

const std::vector<int64_t> kItems{3, 1, 4, 15, 9, 26, 5};

TEST(Passes, EachPassDrawsEveryItemOnceInAnOrderOfItsOwn) {
  Passes passes(kItems, 1, Stream::kLabelledViews);
  auto first = items_of(passes.draw(0, 7)), second = items_of(passes.draw(7, 7));
  EXPECT_NE(first, second);
  for (auto* pass : {&first, &second}) {
    std::sort(pass->begin(), pass->end());
    EXPECT_EQ(*pass, (std::vector<int64_t>{1, 3, 4, 5, 9, 15, 26}));
  }
}

TEST(Passes, ADrawDoesNotDependOnThoseAskedForBefore) {
  Passes straight(kItems, 1, Stream::kLabelledViews), resumed(kItems, 1, Stream::kLabelledViews);
  const auto all = straight.draw(0, 40);
  for (const int64_t begin : {33, 5, 12, 20, 0}) {
    const auto part = resumed.draw(begin, 7);  // spans two passes
    for (std::size_t i = 0; i < 7; ++i) {
      EXPECT_EQ(part[i].item, all[static_cast<std::size_t>(begin) + i].item);
      EXPECT_EQ(part[i].pass, (static_cast<std::size_t>(begin) + i) / 7);
    }
  }
}

TEST(Passes, SeedsAndStreamsHaveOrdersOfTheirOwn) {
  std::vector<int64_t> many(100);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<int64_t>(i);
  const auto order = [&](uint64_t seed, Stream stream) {
    return items_of(Passes(many, seed, stream).draw(0, 100));
  };
  EXPECT_EQ(order(1, Stream::kLabelledViews), order(1, Stream::kLabelledViews));
  EXPECT_NE(order(1, Stream::kLabelledViews), order(2, Stream::kLabelledViews));
  EXPECT_NE(order(1, Stream::kLabelledViews), order(1, Stream::kUnlabelledViews));
}

}  // namespace
}  // namespace penumbra
