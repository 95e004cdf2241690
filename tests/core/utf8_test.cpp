#include "penumbra/core/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace penumbra {
namespace {

TEST(Utf8, IsTextOfAnyScript) {
  for (const char* text : {"", "cat", "café", "猫", "кошка", "🐈", "a\tb\n", "\xef\xbb\xbf"})
    EXPECT_TRUE(is_utf8(text)) << text;
  EXPECT_TRUE(is_utf8(std::string(3, '\0')));
}

// The first and the last of each row of Unicode's table 3-7, and what lies just beside them.
TEST(Utf8, EndsWhereUnicodeDoes) {
  for (const char* text :
       {"\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xec\xbf\xbf", "\xed\x9f\xbf",
        "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf3\xbf\xbf\xbf", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(is_utf8(text)) << text;
  for (const char* text :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xfe", "\xff"})
    EXPECT_FALSE(is_utf8(text)) << text;
}

TEST(Utf8, IsNotWhatOtherEncodingsWrite) {
  for (const char* text : {"caf\xe9", "\xe9t\xe9", "M\xfcnchen", "\x93quoted\x94"})
    EXPECT_FALSE(is_utf8(text)) << text;
}

TEST(Utf8, CutWithinACharacterIsNone) {
  for (const std::string letter : {"é", "猫", "🐈"})
    for (std::size_t size = 1; size < letter.size(); ++size) {
      EXPECT_FALSE(is_utf8(letter.substr(0, size)));
      EXPECT_FALSE(is_utf8(letter.substr(0, size) + "a"));
      EXPECT_FALSE(is_utf8("a" + letter.substr(size)));
    }
}

}  // namespace
}  // namespace penumbra
