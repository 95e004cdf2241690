#include "penumbra/core/options.h"

#include "tests/expect_error.h"

namespace penumbra {
namespace {

TEST(Options, KeepsTheDefaultOfWhatWasNotGiven) {
  Options options{{"weight", "2.5"}};
  double weight = 1, threshold = 0.95;
  options.read("weight", weight, {0, 10}, "of the loss");
  options.read("threshold", threshold, {0, 1}, "confidence");
  EXPECT_EQ(weight, 2.5);
  EXPECT_EQ(threshold, 0.95);
}

TEST(Options, NamesKeyValueSourceAndRangeOfABadNumber) {
  for (const std::string text : {"1.5", "-0.1", "x", "0.5x", "", "nan", "inf"}) {
    Options options(Options::Values{{"threshold", {text, "--set"}}});
    double threshold = 0.95;
    EXPECT_EQ(error_of([&] {
                options.read("threshold", threshold, {0, 1}, "");
              }),
              "option 'threshold' is '" + text + "' (from --set): expected a number from 0 to 1");
    EXPECT_EQ(threshold, 0.95);
  }
}

TEST(Options, AWholeNumberHasNoFraction) {
  Options options{{"steps", "2.5"}};
  int64_t steps = 1;
  EXPECT_EQ(error_of([&] {
              options.read("steps", steps, {1, 100}, "");
            }),
            "option 'steps' is '2.5': expected a whole number from 1 to 100");
}

TEST(Options, AFlagIsTrueOrFalse) {
  Options options{{"mirror", "false"}, {"clip", "yes"}};
  bool mirror = true, clip = false;
  options.read("mirror", mirror, "");
  EXPECT_FALSE(mirror);
  EXPECT_EQ(error_of([&] { options.read("clip", clip, ""); }),
            "option 'clip' is 'yes': expected true or false");
}

TEST(Options, AChoiceListsWhatThereIs) {
  Options options{{"dialect", "fixmach"}};
  std::string dialect = "fixmatch";
  EXPECT_EQ(error_of([&] {
              options.read_choice("dialect", dialect, {"fixmatch", "simple", "usb"}, "");
            }),
            "option 'dialect' is 'fixmach': expected fixmatch, simple or usb");
}

TEST(Options, RejectsWhatNobodyReadAndListsWhatIsKnown) {
  Options options{{"treshold", "0.9"}};
  double threshold = 0.95;
  options.read("threshold", threshold, {0, 1}, "confidence");
  EXPECT_EQ(error_of([&] { options.reject_unknown("method 'fixmatch'"); }),
            "method 'fixmatch' does not know 'treshold'; it knows 'threshold'");
}

TEST(Options, DescribesEveryOptionWithItsEffectiveValue) {
  Options options{{"threshold", "0.5"}};
  double threshold = 0.95;
  bool mirror = true;
  options.read("threshold", threshold, {0, 1}, "confidence");
  options.read("mirror", mirror, "flip");
  ASSERT_EQ(options.described().size(), 2u);
  EXPECT_EQ(options.described()[0].value, "0.5");
  EXPECT_EQ(options.described()[0].allowed, "0 to 1");
  EXPECT_EQ(options.described()[1].value, "true");
  EXPECT_EQ(options.described()[1].meaning, "flip");
}

TEST(Options, BoundsBelongToARange) {
  for (const char* text : {"0", "1", "0.5", "1e-3", "-0"}) {
    Options options{{"share", text}};
    double share = 2;
    options.read("share", share, {0, 1}, "");
    EXPECT_LE(share, 1) << text;
  }
  for (const std::string text : {"1.0000001", "+1", " 1", "1 ", "0x1", "1,5", "1e400"}) {
    Options options{{"share", text}};
    double share = 2;
    EXPECT_EQ(error_of([&] {
                options.read("share", share, {0, 1}, "");
              }),
              "option 'share' is '" + text + "': expected a number from 0 to 1");
  }
}

TEST(Options, AWholeNumberIsDigitsAlone) {
  for (const char* text : {"101", "-1", "1e2", "1.0", "", "99999999999999999999", "ten"}) {
    Options options{{"steps", text}};
    int64_t steps = 7;
    EXPECT_EQ(
        error_of([&] {
          options.read("steps", steps, {0, 100}, "");
        }),
        "option 'steps' is '" + std::string(text) + "': expected a whole number from 0 to 100");
    EXPECT_EQ(steps, 7);
  }
}

TEST(Options, TextAndPathsAreTakenAsTheyAre) {
  Options options{{"name", " a \"b\" "}, {"path", "some where/../x"}};
  std::string name;
  std::filesystem::path path, other = "default";
  options.read("name", name, "what it is called");
  options.read("path", path, "where it is");
  options.read("other", other, "where else");
  EXPECT_EQ(name, " a \"b\" ");
  EXPECT_EQ(path, "some where/../x");
  EXPECT_EQ(other, "default");
  EXPECT_EQ(options.described()[2].value, "default");
  EXPECT_TRUE(options.described()[1].text);
}

TEST(Options, AChoiceOfOneOrTwoIsListedAsPeopleDo) {
  Options options{{"one", "b"}, {"two", "c"}};
  std::string one = "a", two = "a";
  EXPECT_EQ(error_of([&] { options.read_choice("one", one, {"a"}, ""); }),
            "option 'one' is 'b': expected a");
  EXPECT_EQ(error_of([&] {
              options.read_choice("two", two, {"a", "b"}, "");
            }),
            "option 'two' is 'c': expected a or b");
  Options given{{"two", "b"}};
  given.read_choice("two", two, {"a", "b"}, "which");
  EXPECT_EQ(two, "b");
  EXPECT_EQ(given.described()[0].allowed, "a or b");
}

TEST(Options, ADefaultDoesNotReplaceWhatWasGiven) {
  Options options{{"a", "1"}};
  options.set_default("a", "2");
  options.set_default("b", "3");
  std::string a, b;
  options.read("a", a, "");
  options.read("b", b, "");
  EXPECT_EQ(a + b, "13");
  options.set("a", "4");
  options.read("a", a, "");
  EXPECT_EQ(a, "4");
  EXPECT_TRUE(options.has("b"));
  EXPECT_FALSE(options.has("c"));
}

TEST(Options, EveryUnknownKeyIsListed) {
  Options options{{"b", "1"}, {"a", "1"}, {"known", "1"}};
  std::string known;
  options.read("known", known, "");
  EXPECT_EQ(error_of([&] { options.reject_unknown("dataset 'blobs'"); }),
            "dataset 'blobs' does not know 'a' 'b'; it knows 'known'");
}

}  // namespace
}  // namespace penumbra
