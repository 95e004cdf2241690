#include "penumbra/core/crc32.h"

#include <gtest/gtest.h>

#include <string>

namespace penumbra {
namespace {

uint32_t sum_of(const std::string& text) {
  Crc32 sum;
  sum.add(text.data(), text.size());
  return sum.value();
}

TEST(Crc32, HasTheCheckValueOfItsDefinition) { EXPECT_EQ(sum_of("123456789"), 0xcbf43926U); }

TEST(Crc32, PiecesAreLikeTheWholeAndNothingChangesNothing) {
  Crc32 sum;
  sum.add("1234", 4);
  sum.add(nullptr, 0);
  sum.add("56789", 5);
  sum.add("", 0);
  EXPECT_EQ(sum.value(), sum_of("123456789"));
}

}  // namespace
}  // namespace penumbra
