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

}  // namespace
}  // namespace penumbra
