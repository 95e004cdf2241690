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

// Each key is looked for among those before it.
TEST(Json, OfMoreKeysThanCanBeLookedUpIsAnError) {
  const auto object = [](int keys) {
    std::string text = "{";
    for (int i = 0; i < keys; ++i) text += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":0";
    return text + "}";
  };
  EXPECT_EQ(parse_json("[" + object(9000) + "," + object(9000) + "]").size(), 2U);
  EXPECT_THAT(error_of([&] { parse_json("[" + object(11000) + "]"); }),
              HasSubstr("more than 10000 keys"));
}

TEST(Json, ANumberThatIsTooLargeIsAnError) {
  EXPECT_THAT(error_of([] { parse_json("[1e999]"); }), HasSubstr("number overflow"));
}

TEST(Json, ALineIsAnObjectOrNothing) {
  EXPECT_EQ(parse_json_line(R"({"a": 1})")->at("a"), 1);
  for (const auto& line : {std::string("{\"a\": 1"), std::string("[1]"), std::string(),
                           "{\"a\":" + nested(200000) + "}"})
    EXPECT_FALSE(parse_json_line(line)) << line.substr(0, 20);
}

TEST(Json, BytesThatAreNoTextBecomeReplacements) {
  EXPECT_EQ(json_text(Json("a\xff")), "\"a\xef\xbf\xbd\"");
}

TEST(Json, MayBeIndentedForPeople) {
  EXPECT_EQ(json_text(parse_json(R"({"a":[1]})"), 1), "{\n \"a\": [\n  1\n ]\n}");
}

TEST(Json, TextStaysReadable) {
  EXPECT_EQ(json_text(Json("caf\u00e9 \"x\"\n")), "\"caf\u00e9 \\\"x\\\"\\n\"");
}

TEST(Json, ObjectsNestedTooDeeplyAreAnErrorToo) {
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "{\"a\":";
  deep += "1" + std::string(100, '}');
  EXPECT_THAT(error_of([&] { parse_json(deep); }), HasSubstr("nested more than 64 deep"));
}

TEST(Json, AnErrorSaysWhere) {
  EXPECT_THAT(error_of([] { parse_json("{\"a\": 1,\n \"b\" 2}"); }), HasSubstr("line 2"));
}

}  // namespace
}  // namespace penumbra
