#include "penumbra/data/images.h"

#include <gtest/gtest.h>

namespace penumbra {
namespace {

TEST(Names, GiveBackEachNameAlsoEmptyOnesAndBytes) {
  const std::string odd("a\0b\xff\n", 5);
  const Names names(std::vector<std::string>{"one", "", odd, "ü"});
  ASSERT_EQ(names.size(), 4U);
  EXPECT_FALSE(names.empty());
  EXPECT_EQ(names[0], "one");
  EXPECT_EQ(names[1], "");
  EXPECT_EQ(names[2], odd);
  EXPECT_EQ(names[3], "ü");
}

TEST(Names, OfNothingAreEmpty) {
  EXPECT_TRUE(Names().empty());
  EXPECT_TRUE(Names(std::vector<std::string>{}).empty());
}

TEST(Names, ACopyOutlivesTheOriginal) {
  Names copy;
  {
    const Names original(std::vector<std::string>(1000, "a name too long to be kept in place"));
    copy = original;
  }
  EXPECT_EQ(copy[999], "a name too long to be kept in place");
}

TEST(Images, WithoutPicturesHaveAllTheirSizes) {
  const Images images;
  EXPECT_EQ(images.size(), 0);
  EXPECT_EQ(images.height(), 0);
  EXPECT_EQ(images.width(), 0);
  EXPECT_EQ(images.channels(), 0);
  EXPECT_EQ(images.labels.size(0), 0);
  EXPECT_EQ(images.labels.scalar_type(), torch::kLong);
}

TEST(Images, RoomForPicturesMayBeWrittenToTheEnd) {
  // The last spans several huge pages, of which the kernel is told.
  for (const int64_t n : {0, 3, 3000}) {
    const auto pixels = empty_pixels(n, 32, 30, 3);
    ASSERT_EQ(pixels.sizes(), torch::IntArrayRef({n, 32, 30, 3}));
    EXPECT_EQ(pixels.scalar_type(), torch::kByte);
    EXPECT_TRUE(pixels.is_contiguous());
    pixels.fill_(7);
    EXPECT_EQ(pixels.to(torch::kLong).sum().item<int64_t>(), 7 * n * 32 * 30 * 3);
  }
}

TEST(Images, FewerAreWorkedOnAtOnceWhereTheyAreLarge) {
  EXPECT_EQ(pictures_at_once(1, 1, 1), 256);
  EXPECT_EQ(pictures_at_once(64, 64, 3), 256);
  EXPECT_EQ(pictures_at_once(256, 256, 3), 256);
  EXPECT_EQ(pictures_at_once(512, 512, 3), 85);  // of 3 MB each
  EXPECT_EQ(pictures_at_once(512, 512, 1), 256);
  EXPECT_EQ(pictures_at_once(2048, 2048, 3), 5);
  EXPECT_EQ(pictures_at_once(4096, 4096, 3), 1);
  EXPECT_EQ(pictures_at_once(16384, 16384, 4), 1);
}

}  // namespace
}  // namespace penumbra
