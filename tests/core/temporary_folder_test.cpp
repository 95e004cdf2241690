#include "penumbra/core/temporary_folder.h"

#include <gtest/gtest.h>

#include "penumbra/core/error.h"
#include "penumbra/core/file.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

TEST(TemporaryFolder, IsGoneWithAllInIt) {
  fs::path place;
  {
    const TemporaryFolder folder(testing::TempDir(), "test");
    place = folder.path();
    EXPECT_TRUE(place.is_absolute());
    fs::create_directories(place / "a" / "b");
    write_file(place / "a" / "b" / "c", "text");
    EXPECT_TRUE(fs::exists(place / "a" / "b" / "c"));
  }
  EXPECT_FALSE(fs::exists(place));
}

TEST(TemporaryFolder, TwoOfOneNameAreTwo) {
  const TemporaryFolder one(testing::TempDir(), "test"), other(testing::TempDir(), "test");
  EXPECT_NE(one.path(), other.path());
}

TEST(TemporaryFolder, AParentThatCannotBeIsAnError) {
  EXPECT_THROW(TemporaryFolder("/proc/none", "test"), Error);
}

}  // namespace
}  // namespace penumbra
