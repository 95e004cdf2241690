#include "penumbra/train/watch.h"

#include <gmock/gmock.h>

namespace penumbra {
namespace {

TrainReport report_of(int64_t step, double mask, double right) {
  return {step, 1000, 1, 100, {{"mask", mask}, {"pseudo_label_accuracy", right}}};
}

TEST(Watch, SaysOnceThatTheMaskKeepsNothing) {
  Watch watch;
  EXPECT_FALSE(watch.see(report_of(50, 0, 0)));
  const auto advice = watch.see(report_of(500, 0, 0));
  ASSERT_TRUE(advice);
  EXPECT_THAT(*advice, testing::HasSubstr("the mask keeps 0 % of the unlabelled images after 500"));
  EXPECT_FALSE(watch.see(report_of(600, 0, 0)));
}

TEST(Watch, SaysThatPseudoLabelsAreWrong) {
  Watch watch;
  EXPECT_FALSE(watch.see(report_of(600, 0.9, 0.95)));
  const auto advice = watch.see(report_of(700, 0.9, 0.4));
  ASSERT_TRUE(advice);
  EXPECT_THAT(*advice, testing::HasSubstr("only 40 % of their pseudo-labels are right"));
}

TEST(Watch, SaysThatCertificatesVanish) {
  Watch watch;
  EXPECT_FALSE(watch.see({10, 1000, 1, 100, {{"certificates/length", 0.97}}}));
  const auto advice = watch.see({20, 1000, 1, 100, {{"certificates/length", 0.2}}});
  ASSERT_TRUE(advice);
  EXPECT_THAT(*advice, testing::HasSubstr("the certificates are vanishing"));
}

TEST(Watch, OneAdviceDoesNotHideAnother) {
  Watch watch;
  const TrainReport both{500, 1000, 1, 100, {{"mask", 0.0}, {"certificates/length", 0.2}}};
  EXPECT_THAT(watch.see(both).value_or(""), testing::HasSubstr("the mask keeps 0 %"));
  EXPECT_THAT(watch.see(both).value_or(""), testing::HasSubstr("certificates are vanishing"));
  EXPECT_FALSE(watch.see(both));
}

TEST(Watch, AShortRunIsLateInItsSecondHalf) {
  const auto advice = [](int64_t step, int64_t steps) {
    return Watch().see({step, steps, 1, 100, {{"mask", 0.0}}}).has_value();
  };
  EXPECT_FALSE(advice(100, 1000));
  EXPECT_FALSE(advice(99, 150));  // too early to say anything
  EXPECT_TRUE(advice(100, 200));
  EXPECT_TRUE(advice(500, 100000));
}

TEST(Watch, HasNothingToSayOfAMethodWithoutAMask) {
  Watch watch;
  EXPECT_FALSE(watch.see({900, 1000, 1, 100, {{"loss", 3.0}}}));
  EXPECT_FALSE(watch.see({900, 1000, 1, 100, {{"mask", 0.9}}}));  // nobody knows hidden labels
}

}  // namespace
}  // namespace penumbra
