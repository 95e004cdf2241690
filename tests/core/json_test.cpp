#include "penumbra/core/json.h"

#include "tests/expect_error.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(Json, KeepsTheOrderOfItsKeys) {
  EXPECT_EQ(json_text(parse_json(R"({"b": 1, "a": [2, null]})")), R"({"b":1,"a":[2,null]})");
}

TEST(Json, ThatIsNoneIsAnError) {
  for (const char* text : {"", "{", "[1,]", "nothing", "\"\\x\"", "{} {}"})
    EXPECT_THAT(error_of([&] { parse_json(text); }), HasSubstr("parse error")) << text;
}

// Copying a value calls itself for each level.
TEST(Json, NestedTooDeeplyIsAnError) {
  EXPECT_EQ(json_text(parse_json(nested(64))), nested(64));
  for (const std::size_t depth : {100UL, 300000UL})
    EXPECT_THAT(error_of([&] { parse_json(nested(depth)); }), HasSubstr("nested more than 64"));
}

TEST(Json, BytesThatAreNoTextBecomeReplacements) {
  EXPECT_EQ(json_text(Json("a\xff")), "\"a\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace penumbra
