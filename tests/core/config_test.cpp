#include "penumbra/core/config.h"

#include "tests/expect_error.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

double read_weight(Options options) {
  double weight = 1;
  options.read("weight", weight, {0, 100}, "");
  return weight;
}

TEST(Config, LaterLayersWin) {
  const TestFolder folder;
  Config config;
  config.set("method.weight", "2", "preset quick");
  EXPECT_EQ(read_weight(config.section("method")), 2);
  config.read_file(folder.write("my.toml", "[method]\nweight = 3\n"));
  EXPECT_EQ(read_weight(config.section("method")), 3);
  config.set_argument("method.weight=4");
  EXPECT_EQ(read_weight(config.section("method")), 4);
  EXPECT_EQ(read_weight(config.section("train")), 1);
}

TEST(Config, AWrongValueSaysWhichLineItCameFrom) {
  Config config;
  config.read_text("[method]\n\nweight = 'heavy'\n", "my.toml");
  EXPECT_EQ(error_of([&] { read_weight(config.section("method")); }),
            "option 'weight' is 'heavy' (from my.toml line 3): expected a number from 0 to 100");
}

TEST(Config, ABrokenFileNamesTheLine) {
  Config config;
  EXPECT_THAT(error_of([&] { config.read_text("[method]\nweight = = 3\n", "my.toml"); }),
              HasSubstr("my.toml line 2"));
  EXPECT_THAT(error_of([&] { config.read_file("/does/not/exist.toml"); }),
              HasSubstr("/does/not/exist.toml"));
}

TEST(Config, RejectsArgumentsThatAreNoSettings) {
  Config config;
  EXPECT_THAT(error_of([&] { config.set_argument("method.weight"); }), HasSubstr("name=value"));
  EXPECT_THAT(error_of([&] { config.set_argument("=3"); }), HasSubstr("name=value"));
  EXPECT_THAT(error_of([&] { config.set_argument("weight=3"); }), HasSubstr("has no section"));
  EXPECT_THAT(error_of([&] { config.read_text("when = 1979-05-27", "f"); }), HasSubstr("date"));
}

// Names are followed by functions that call themselves.
TEST(Config, RejectsNamesAndFilesWithoutEnd) {
  Config config;
  std::string dotted = "a";
  for (int i = 0; i < 60000; ++i) dotted += ".a";
  EXPECT_THAT(error_of([&] { config.read_text("x = 1\n" + dotted + " = 1", "f"); }),
              HasSubstr("f line 2: a name of more than 100 parts"));
  EXPECT_THAT(error_of([&] { config.read_text("[" + dotted + "]\nx = 1", "f"); }),
              HasSubstr("f line 1: a name of more than 100 parts"));
  EXPECT_THAT(error_of([&] { config.read_text(std::string(2 << 20, '\n'), "f"); }),
              HasSubstr("f has 2097152 bytes"));
  // Values may have as many dots as they like.
  std::string numbers = "0.5";
  for (int i = 0; i < 500; ++i) numbers += ", 0.5";
  config.read_text("[run]\nclasses = [" + numbers + "]", "f");
  EXPECT_TRUE(config.has("run.classes"));
}

TEST(Config, RejectsNamesWithoutEndWhereverTheyStand) {
  std::string dotted = "a";
  for (int i = 0; i < 200000; ++i) dotted += ".a";
  // Tables within tables, each with a name that alone would be short enough.
  std::string nested = "1";
  for (int i = 0; i < 50; ++i) nested = "{a.a.a.a.a.a.a.a.a.a = " + nested + "}";
  for (const auto& text :
       {"x = {" + dotted + " = 1}", "\"=\"." + dotted + " = 1", "'#'." + dotted + " = 1",
        "x = [{y = 0.5, " + dotted + " = 1}]", "x = \"\"\"a\"\"\"\"\"\n" + dotted + " = 1",
        "x = '\\'\n" + dotted + " = 1", "x = \"\\\"\"\n" + dotted + " = 1", "run.x = " + nested}) {
    Config config;
    EXPECT_THAT(error_of([&] { config.read_text(text, "f"); }),
                HasSubstr(": a name of more than 100 parts"))
        << text.substr(0, 30);
  }
}

TEST(Config, DotsThatAreNoNamesAreNotCounted) {
  const std::string dots(500, '.');
  std::string numbers;
  for (int i = 0; i < 150; ++i) numbers += "0.5, ";
  Config config;
  config.read_text("# " + dots + "\n[run]\na = \"" + dots + "\" # " + dots + "\nb = '" + dots +
                       "'\nc = [\n" + numbers + "\n" + numbers + "\n]\nd = \"\"\"\n" + dots +
                       "\n\"" + dots + "\"\"\"\"\ne = 1\n",
                   "f");
  for (const char* name : {"run.a", "run.b", "run.c", "run.d", "run.e"})
    EXPECT_TRUE(config.has(name)) << name;
}

TEST(Config, RejectsSectionsThatNobodyReads) {
  Config config;
  config.set_argument("methd.weight=3");
  EXPECT_THAT(
      error_of([&] {
        config.reject_unknown_sections({"data", "method"});
      }),
      HasSubstr("'methd.weight' (from --set) is in no known section; there are: data method"));
}

TEST(Config, TheEffectiveConfigurationReadsBackTheSame) {
  const std::vector<OptionInfo> options{{"weight", "2.5", "0 to 10", "of the loss", false},
                                        {"dialect", "a \"b\" \\ é", "", "which", true},
                                        {"mirror", "true", "true or false", "flip", false}};
  const auto toml = to_toml({{"method", options}});
  Config config;
  config.read_text(toml, "config.toml");
  auto section = config.section("method");
  double weight = 0;
  std::string dialect;
  bool mirror = false;
  section.read("weight", weight, {0, 10}, "");
  section.read("dialect", dialect, "");
  section.read("mirror", mirror, "");
  EXPECT_EQ(weight, 2.5);
  EXPECT_EQ(dialect, "a \"b\" \\ é");
  EXPECT_TRUE(mirror);
}

TEST(Config, TextOfAnyKindReadsBackTheSame) {
  for (const std::string text : {"", "'''", "a\n'''b\n[run]\nseed = 5", "\"\"\"\n", "\\u0041",
                                 "\x01\x1f\x7f\t\r\n", "日本\xf0\x9f\x8c\x98"}) {
    Config config;
    config.read_text(to_toml({{"run", {{"data", text, "", "which", true}}}}), "config.toml");
    auto section = config.section("run");
    std::string read;
    section.read("data", read, "");
    EXPECT_EQ(read, text);
    EXPECT_FALSE(config.has("run.seed")) << text;
  }
}

TEST(Config, TextThatIsNotUtf8IsRefusedBeforeItIsWritten) {
  Config config;
  EXPECT_THAT(error_of([&] { config.set("run.data", "caf\xe9", "the command line"); }),
              HasSubstr("which is not UTF-8: expected text that is; rename the file or folder"));
}

TEST(Config, ListsBecomeCommaSeparatedText) {
  Config config;
  config.read_text("[data]\nclasses = ['cat', 'dog']", "f");
  std::string classes;
  auto section = config.section("data");
  section.read("classes", classes, "");
  EXPECT_EQ(classes, "cat,dog");
}

TEST(Config, ASectionCanBeForgotten) {
  Config config;
  for (const char* setting : {"method.a=1", "method.b=2", "methods.a=3", "train.a=4"})
    config.set_argument(setting);
  config.clear_section("method");
  EXPECT_FALSE(config.has("method.a"));
  EXPECT_FALSE(config.has("method.b"));
  EXPECT_TRUE(config.has("methods.a"));
  EXPECT_TRUE(config.has("train.a"));
}

TEST(Config, ADefaultIsTakenOnlyWhereNothingWasSet) {
  Config config;
  config.set_argument("train.lr=0.5");
  config.set_default("train.lr", "0.1", "preset");
  config.set_default("train.batch", "8", "preset");
  auto options = config.section("train");
  double lr = 0;
  int64_t batch = 0;
  options.read("lr", lr, {0, 1}, "");
  options.read("batch", batch, {1, 64}, "");
  EXPECT_EQ(lr, 0.5);
  EXPECT_EQ(batch, 8);
}

TEST(Config, ADateIsNoValue) {
  Config config;
  EXPECT_THAT(
      error_of([&] { config.read_text("[run]\na = 1\nb = 1979-05-27\n", "my.toml"); }),
      testing::HasSubstr("my.toml line 3: this is a date, a time or a table: expected text"));
  EXPECT_THAT(error_of([&] { config.read_text("run.a = [{ b = 1 }]\n", "my.toml"); }),
              testing::HasSubstr("my.toml line 1: this is a date"));
}

TEST(Config, ASettingHasASectionAndAName) {
  Config config;
  for (const char* name : {"weight", ".weight", "method.", "."})
    EXPECT_THAT(error_of([&] { config.set(name, "1", "my.toml line 2"); }),
                HasSubstr("setting '" + std::string(name) +
                          "' (from my.toml line 2) has no section: expected a name like "
                          "method.threshold or train.steps"));
  EXPECT_THAT(error_of([&] { config.read_text("seed = 1\n", "my.toml"); }),
              HasSubstr("setting 'seed' (from my.toml line 1) has no section"));
}

TEST(Config, AnArgumentEndsItsNameAtTheFirstEqualsSign) {
  Config config;
  config.set_argument("run.data=a=b, c");
  config.set_argument("run.out=");
  auto section = config.section("run");
  std::string data, out = "somewhere";
  section.read("data", data, "");
  section.read("out", out, "");
  EXPECT_EQ(data, "a=b, c");
  EXPECT_EQ(out, "");
}

TEST(Config, OneSettingCanBeForgotten) {
  Config config;
  config.set_argument("run.a=1");
  config.set_argument("run.b=2");
  config.clear("run.a");
  config.clear("run.none");  // which was never set
  EXPECT_FALSE(config.has("run.a"));
  EXPECT_TRUE(config.has("run.b"));
}

TEST(Config, WhatAPresetSetsIsNoErrorWhereNobodyReadsIt) {
  Config config;
  config.set_default("method.threshold", "0.9", "preset quick");
  EXPECT_NO_THROW(config.section("method").reject_unknown("method 'supervised'"));
  config.set_argument("method.threshold=0.9");  // now a person wants it
  EXPECT_THAT(error_of([&] { config.section("method").reject_unknown("method 'supervised'"); }),
              HasSubstr("method 'supervised' does not know 'threshold'; it has no options"));
}

TEST(Config, KnownSectionsAreNoError) {
  Config config;
  config.set_argument("data.path=a");
  config.set_argument("method.deep.name=1");
  EXPECT_NO_THROW(config.reject_unknown_sections({"data", "method"}));
  EXPECT_NO_THROW(Config().reject_unknown_sections({}));
}

TEST(Config, EffectiveValuesStandInSectionsWithTheirMeaning) {
  const std::vector<OptionInfo> run{{"seed", "3", "0 to 9", "of everything", false},
                                    {"data", "my 'pictures'", "", "what to learn", true}};
  EXPECT_EQ(to_toml({{"run", run}, {"train", {{"lr", "0.03", "0 to 1", "rate", false}}}}),
            "[run]\nseed = 3  # of everything\ndata = \"my 'pictures'\"  # what to learn\n\n"
            "[train]\nlr = 0.03  # rate\n");
  EXPECT_EQ(to_toml({}), "");
}

}  // namespace
}  // namespace penumbra
