#include "penumbra/data/copies.h"

#include <gmock/gmock.h>

namespace penumbra {
namespace {

// Pictures of 2 x 2 pixels, each of one level.
Images pictures(const std::vector<int64_t>& levels) {
  Images images;
  const auto n = static_cast<int64_t>(levels.size());
  images.pixels = torch::tensor(levels, torch::kLong)
                      .to(torch::kByte)
                      .reshape({n, 1, 1, 1})
                      .expand({n, 2, 2, 1})
                      .contiguous();
  images.labels = torch::full({n}, kUnlabelled, torch::kLong);
  return images;
}

std::vector<std::pair<int64_t, int64_t>> pairs(const std::vector<Copy>& copies) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const auto& copy : copies) pairs.emplace_back(copy.picture, copy.original);
  return pairs;
}

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Copies, AreFoundInAnotherSet) {
  EXPECT_THAT(pairs(find_copies(pictures({1, 7, 3, 7}), pictures({9, 7, 1}))),
              ElementsAre(testing::Pair(0, 2), testing::Pair(1, 1), testing::Pair(3, 1)));
}

TEST(Copies, CountOnlyAmongThePositionsThatAreAskedFor) {
  const auto all = pictures({5, 6, 5, 6, 5});
  EXPECT_THAT(pairs(find_copies(all, {2, 3}, all, {0, 4})), ElementsAre(testing::Pair(2, 0)));
  EXPECT_THAT(pairs(find_copies(all, {}, all, {0})), IsEmpty());
  EXPECT_THAT(pairs(find_copies(all, {0}, all, {})), IsEmpty());
}

TEST(Copies, HaveTheSameSize) {
  auto larger = pictures({1});
  larger.pixels = larger.pixels.repeat({1, 2, 1, 1});
  EXPECT_THAT(pairs(find_copies(pictures({1}), larger)), IsEmpty());
}

TEST(Copies, AreFoundWithinASetWithTheFirstOfTheirKind) {
  EXPECT_THAT(pairs(find_copies(pictures({4, 8, 4, 2, 4}))),
              ElementsAre(testing::Pair(2, 0), testing::Pair(4, 0)));
  auto differs_at_the_end = pictures({4, 4});
  differs_at_the_end.pixels[1][1][1][0] = 5;
  EXPECT_THAT(pairs(find_copies(differs_at_the_end)), IsEmpty());
}

}  // namespace
}  // namespace penumbra
