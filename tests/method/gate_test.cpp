#include "penumbra/method/gate.h"

#include "tests/expect_error.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

Gate gate(Options options) { return Gate(options); }

// A network whose features are its input, whose only certificate is the first of them, and whose
// variance is the second.
Output say(const torch::Tensor& x) {
  return {x, x, {{"certificates", x.slice(1, 0, 1)}, {"variance", x.slice(1, 1, 2)}}};
}

std::vector<bool> passes(Gate& gate, const torch::Tensor& unlabelled, const torch::Tensor& images,
                         int64_t views = 1) {
  const auto said = gate.familiar(say(unlabelled), views, Forward(say), images);
  return std::vector<bool>(said.data_ptr<bool>(), said.data_ptr<bool>() + said.numel());
}

const auto kKnown = torch::tensor({{0.1, 1.0}, {0.2, 1.0}});

TEST(Gate, IsOffUnlessAskedFor) {
  auto off = gate({});
  EXPECT_FALSE(off.on());
  EXPECT_EQ(passes(off, torch::tensor({{9.0, 9.0}}), kKnown), std::vector<bool>{true});
  EXPECT_TRUE(off.save().empty());
}

TEST(Gate, KeepsOutWhatItsCertificatesDoNotKnow) {
  auto on = gate({{"gate", "epistemic"}, {"gate_quantile", "1"}});
  const auto unlabelled = torch::tensor({{0.15, 1.0}, {1.0, 0.1}});
  EXPECT_EQ(passes(on, unlabelled, kKnown), (std::vector<bool>{true, false}));
}

TEST(Gate, LengthOfTheFeaturesDoesNotMatterToCertificates) {
  auto on = gate({{"gate", "epistemic"}, {"gate_quantile", "1"}});
  const auto unlabelled = torch::tensor({{0.015, 0.1}, {15.0, 100.0}, {0.001, 0.0001}});
  EXPECT_EQ(passes(on, unlabelled, kKnown), (std::vector<bool>{true, true, false}));
}

TEST(Gate, VarianceLooksAtTheOtherHeadAndBothAtEach) {
  const auto unlabelled = torch::tensor({{0.1, 0.5}, {0.1, 2.0}, {5.0, 1.0}});
  auto variance = gate({{"gate", "variance"}, {"gate_quantile", "1"}});
  EXPECT_EQ(passes(variance, unlabelled, kKnown), (std::vector<bool>{true, false, true}));
  auto both = gate({{"gate", "both"}, {"gate_quantile", "1"}});
  EXPECT_EQ(passes(both, unlabelled, kKnown), (std::vector<bool>{true, false, false}));
}

// Below -7 a head that means the logarithm was never told how far.
TEST(Gate, ComparesLogarithmsOfVariancesAsTheLossMeansThem) {
  const auto known = torch::tensor({{0.1, -9.0}, {0.2, -8.0}});
  const auto unlabelled = torch::tensor({{0.1, -50.0}, {0.1, -7.0}, {0.1, -6.5}});
  for (const char* variance : {"log", "paper"}) {
    auto on = gate({{"gate", "variance"}, {"gate_quantile", "1"}, {"variance", variance}});
    const bool log = std::string(variance) == "log";
    EXPECT_EQ(passes(on, unlabelled, known), (std::vector<bool>{true, log, false})) << variance;
  }
}

TEST(Gate, SeveralViewsOfAPictureAreAveraged) {
  auto on = gate({{"gate", "variance"}, {"gate_quantile", "1"}});
  // Two pictures, first view after first view: variances 0 and 1.9, then 1.9 and 1.9.
  const auto views = torch::tensor({{1.0, 0.0}, {1.0, 1.9}, {1.0, 1.9}, {1.0, 1.9}});
  EXPECT_EQ(passes(on, views, kKnown, 2), (std::vector<bool>{true, false}));
}

TEST(Gate, TheQuantileSaysHowManyLabelledImagesWouldPass) {
  const auto images =
      torch::stack({torch::ones({100}), torch::linspace(-1, 1, 100)}, 1);  // a hundred variances
  for (const double share : {0.5, 0.9}) {
    auto on = gate({{"gate", "variance"}, {"gate_quantile", std::to_string(share)}});
    const auto said = passes(on, images, images);
    EXPECT_NEAR(std::count(said.begin(), said.end(), true), 100 * share, 1);
  }
}

TEST(Gate, RemembersLabelledImagesOfEarlierStepsAlsoAfterResuming) {
  Options options{{"gate", "variance"}, {"gate_quantile", "1"}};
  auto first = gate(options);
  const auto noisy = torch::tensor({{1.0, 3.0}}), clean = torch::tensor({{1.0, 1.0}});
  EXPECT_EQ(passes(first, torch::tensor({{1.0, 2.0}}), noisy), std::vector<bool>{true});
  auto resumed = gate(options);
  resumed.load(first.save());
  for (auto* one : {&first, &resumed})
    EXPECT_EQ(passes(*one, torch::tensor({{1.0, 2.0}}), clean), std::vector<bool>{true});
  auto fresh = gate(options);
  EXPECT_EQ(passes(fresh, torch::tensor({{1.0, 2.0}}), clean), std::vector<bool>{false});
}

TEST(Gate, WhatIsNoListOfScoresIsNotResumedFrom) {
  Options options{{"gate", "both"}};
  auto first = gate(options);
  passes(first, torch::tensor({{1.0, 2.0}}), kKnown);
  const auto saved = first.save();
  ASSERT_EQ(saved.size(), 2U);
  for (const auto& scores : {torch::zeros({2, 2}), torch::tensor(1.0F), torch::zeros({0}),
                             torch::zeros({2049}), torch::zeros({2}, torch::kHalf)})
    for (std::size_t i = 0; i < saved.size(); ++i) {
      auto changed = saved;
      changed[i].tensor = scores;
      EXPECT_THAT(error_of([&] { gate(options).load(changed); }),
                  HasSubstr("has 'gate/" + std::to_string(i) + "' as"));
    }
  EXPECT_THAT(error_of([&] { gate(options).load({saved[0]}); }), HasSubstr("lacks 'gate/1'"));
  // The order of a file is its own.
  auto resumed = gate(options);
  resumed.load({saved[1], saved[0]});
  EXPECT_TRUE(resumed.save()[0].tensor.equal(saved[0].tensor));
  resumed.load({});  // of a run that had not looked at any
  EXPECT_TRUE(resumed.save().empty());
}

TEST(Gate, ForgetsWhatIsLongAgo) {
  auto on = gate({{"gate", "variance"}, {"gate_quantile", "1"}});
  const auto picture = torch::tensor({{1.0, 2.0}});
  EXPECT_EQ(passes(on, picture, torch::tensor({{1.0, 3.0}})), std::vector<bool>{true});
  EXPECT_EQ(passes(on, picture, torch::ones({2048, 2})), std::vector<bool>{false});
  EXPECT_EQ(on.save()[0].tensor.size(0), 2048);
}

TEST(Gate, WithoutAnyLabelledImageLetsAllPass) {
  auto on = gate({{"gate", "variance"}});
  const auto picture = torch::tensor({{1.0, 2.0}});
  EXPECT_EQ(passes(on, picture, torch::empty({0, 2})), std::vector<bool>{true});
  EXPECT_EQ(passes(on, picture, torch::tensor({{1.0, 1.0}})), std::vector<bool>{false});
  EXPECT_EQ(passes(on, picture, torch::empty({0, 2})), std::vector<bool>{false});
}

TEST(Gate, ComparesWithWeakViewsOfLabelledImages) {
  const auto images = torch::arange(6).view({3, 2});
  LabelledViews views;
  EXPECT_EQ(views.weak_of(images).size(0), 3);
  views.labelled = "both";
  EXPECT_TRUE(views.weak_of(images).equal(images.slice(0, 2)));  // two of three are strong
  Options options{{"gate", "both"}, {"labelled", "strong"}};
  EXPECT_THAT(error_of([&] { make_method("penumbra", options); }),
              HasSubstr("method.labelled=both"));
}

TEST(Gate, WithoutTheHeadItNeedsIsRefusedBeforeTraining) {
  const auto message = [](Options options) {
    options.set("gate", "both");
    return error_of([&] { make_method("penumbra", options); });
  };
  EXPECT_THAT(message({{"l_ue", "0"}}), HasSubstr("method.l_ue=1"));
  EXPECT_THAT(message({{"l_ua", "0"}}), HasSubstr("method.ua_loss=nll"));
  EXPECT_THAT(message({{"ua_loss", "mse"}}), HasSubstr("method.ua_loss=nll"));
  Options fits{{"gate", "both"}};
  EXPECT_NO_THROW(make_method("penumbra", fits));
}

}  // namespace
}  // namespace penumbra
