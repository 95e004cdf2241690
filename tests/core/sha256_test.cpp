#include "penumbra/core/sha256.h"

#include <gtest/gtest.h>

#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "penumbra/core/temporary_folder.h"

namespace penumbra {
namespace {

// FIPS 180-2, appendix B.1 and B.2.
constexpr const char* kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr const char* kTwoBlocks =
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";

TEST(Sha256, GivesThePublishedSumsPieceByPiece) {
  Sha256 sum;
  sum.update("abcdbcdecdefdefgefghfghighij", 28);
  sum.update("hijkijkljklmklmnlmnomnopnopq", 28);
  EXPECT_EQ(sum.finish(), kTwoBlocks);
}

TEST(Sha256, OfAFileIsThatOfItsBytes) {
  const TemporaryFolder folder(testing::TempDir(), "sha256");
  write_file(folder.path() / "abc", "abc");
  write_file(folder.path() / "empty", "");
  EXPECT_EQ(sha256_of_file(folder.path() / "abc"), kAbc);
  EXPECT_EQ(sha256_of_file(folder.path() / "empty"),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_THROW(sha256_of_file(folder.path() / "none"), Error);
}

}  // namespace
}  // namespace penumbra
