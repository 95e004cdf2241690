#include "penumbra/core/toml.h"

#include "tests/expect_error.h"

namespace penumbra {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// "name = text" of every value, in the order of the file.
std::vector<std::string> shown_entries(const std::string& text) {
  const auto table = parse_toml(text, "my.toml");
  std::vector<std::string> shown;
  for (const auto& [name, node] : toml_entries(table))
    shown.push_back(name + " = " + toml_text(*node, "my.toml"));
  return shown;
}

TEST(Toml, ValuesBecomeTheTextThatSetTakes) {
  EXPECT_THAT(shown_entries("a = 'x y'\nb = -3\nc = 0.5\nd = true\ne = false\nf = [1, 'b', 0.25]\n"
                            "g = []\nh = 1e-3\ni = \"\"\"two\nlines\"\"\"\n"),
              ElementsAre("a = x y", "b = -3", "c = 0.5", "d = true", "e = false", "f = 1,b,0.25",
                          "g = ", "h = 0.001", "i = two\nlines"));
}

TEST(Toml, NamesAreAlikeHoweverTheyAreWritten) {
  for (const char* text : {"\"run.seed\" = 1", "run.seed = 1", "[run]\nseed = 1",
                           "run = {seed = 1}", "[run]\n'seed' = 1"})
    EXPECT_THAT(shown_entries(text), ElementsAre("run.seed = 1")) << text;
}

TEST(Toml, TheOrderIsThatOfTheFile) {
  EXPECT_THAT(shown_entries("[z]\nb = 1\na = 2\n[a]\nc = 3\n[z.y]\nd = 4\n"),
              ElementsAre("z.b = 1", "z.a = 2", "a.c = 3", "z.y.d = 4"));
  EXPECT_THAT(shown_entries("t = {b = 1, a = 2}\n"), ElementsAre("t.b = 1", "t.a = 2"));
  EXPECT_THAT(shown_entries(""), testing::IsEmpty());
}

TEST(Toml, APlaceIsAFileAndALine) {
  const auto table = parse_toml("\n\na = 1\n", "my.toml");
  EXPECT_EQ(toml_place(*table.get("a"), "my.toml"), "my.toml line 3");
}

TEST(Toml, WhatIsNoneIsNamedWithItsLine) {
  EXPECT_THAT(error_of([] { parse_toml("a = 1\nb = 2\na = 3\n", "my.toml"); }),
              HasSubstr("my.toml line 3: "));
  EXPECT_THAT(error_of([] { parse_toml("a = 'never closed\n", "my.toml"); }),
              HasSubstr("my.toml line 1: "));
  EXPECT_THAT(error_of([] { parse_toml("a = \"never closed", "my.toml"); }),
              HasSubstr("my.toml line 1: "));
  EXPECT_THAT(error_of([] { parse_toml("[section\n", "my.toml"); }), HasSubstr("my.toml line 1: "));
  EXPECT_THAT(error_of([] { parse_toml("just words\n", "my.toml"); }),
              HasSubstr("my.toml line 1: "));
}

TEST(Toml, DatesTimesAndTablesInListsAreNoValues) {
  for (const char* text : {"a = 1979-05-27", "a = 07:32:00", "a = 1979-05-27T07:32:00Z",
                           "a = [{b = 1}]", "a = [1, 1979-05-27]"})
    EXPECT_THAT(error_of([&] { shown_entries(text); }),
                HasSubstr("my.toml line 1: this is a date, a time or a table: expected text, a "
                          "number, true, false or a list"))
        << text;
}

// A hundred parts are allowed: nobody has more, and the stack holds them.
TEST(Toml, NamesMayHaveAHundredParts) {
  std::string name = "a";
  for (int i = 0; i < 99; ++i) name += ".a";
  EXPECT_EQ(shown_entries(name + " = 1").size(), 1U);
  EXPECT_EQ(shown_entries("[" + name + "]\nb = 1").size(), 1U);
}

TEST(Toml, AFileOfAMegabyteIsReadAndNoLarger) {
  const std::string megabyte = "a = 1 #" + std::string((1 << 20) - 7, 'x');
  EXPECT_EQ(shown_entries(megabyte).size(), 1U);
  EXPECT_EQ(error_of([&] { parse_toml(megabyte + "x", "my.toml"); }),
            "my.toml has 1048577 bytes: expected a configuration of at most 1048576");
}

}  // namespace
}  // namespace penumbra
