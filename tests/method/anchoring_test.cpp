#include "penumbra/method/anchoring.h"

#include <cmath>

#include "penumbra/data/images.h"
#include "tests/expect_error.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

// A network that says an image's two pixels: one labelled image, two unlabelled ones with a strong
// and a weak view each.
class AnchoringStep : public testing::Test {
 protected:
  AnchoringStep() {
    batch_.all = torch::tensor({{2.0F, 0.0F},  // labelled
                                {0.0F, 0.0F},  // strong
                                {1.0F, 0.0F},  //
                                {0.0F, 5.0F},  // weak
                                {0.1F, 0.0F}})
                     .reshape({5, 2, 1, 1});
    batch_.images = batch_.all.narrow(0, 0, 1);
    batch_.strong = {batch_.all.narrow(0, 1, 2)};
    batch_.weak = {batch_.all.narrow(0, 3, 2)};
    batch_.labels = torch::zeros({1}, torch::kLong);
    batch_.index = torch::arange(2, torch::kLong);
  }

  static Forward network(double factor) {
    return Forward([factor](const torch::Tensor& images) {
      const auto rows = factor * images.flatten(1);
      return Output{rows, rows, {}};
    });
  }

  // The likeliest class of each weak view, trusted as told; keeps the logits that it was shown.
  Anchoring::Label label_with(const torch::Tensor& trust) {
    return [this, trust](const torch::Tensor& weak) -> Anchoring::Labels {
      shown_ = weak;
      return {weak.argmax(1), trust};
    };
  }

  Batch batch_;
  torch::Tensor shown_;
};

// H(0, softmax(2, 0)) = log(1 + e^-2); of the strong views H(1, (0, 0)) = log 2, H(0, (1, 0)) =
// log(1 + e^-1).
TEST_F(AnchoringStep, TheLossIsWhatTheFormulaSays) {
  for (const std::string forward : {"split", "joint"}) {
    Options options{{"weight", "3"}, {"forward", forward}};
    const Anchoring anchoring(options);
    const auto step =
        anchoring.learn(network(1), network(9), batch_, label_with(torch::tensor({1.0F, 0.5F})))
            .step;
    const double supervised = std::log1p(std::exp(-2.0));
    const double consistency = (std::log(2.0) + 0.5 * std::log1p(std::exp(-1.0))) / 2;
    EXPECT_NEAR(step.report.at("loss/supervised"), supervised, 1e-6) << forward;
    EXPECT_NEAR(step.report.at("loss/consistency"), consistency, 1e-6) << forward;
    EXPECT_NEAR(step.loss.item<double>(), supervised + 3 * consistency, 1e-6) << forward;
    EXPECT_NEAR(step.report.at("mask"), 0.75, 1e-6) << forward;
  }
}

TEST_F(AnchoringStep, LabelsThatAreNotTrustedAreNone) {
  Options options;
  const auto learnt = Anchoring(options).learn(network(1), network(9), batch_,
                                               label_with(torch::tensor({1.0F, 0.0F})));
  EXPECT_TRUE(learnt.step.pseudo_labels.equal(torch::tensor({1, -1}, torch::kLong)));
  EXPECT_TRUE(learnt.step.evidence.mask.equal(torch::tensor({1.0F, 0.0F})));
  EXPECT_FALSE(learnt.step.evidence.targets.defined());  // hard labels are no soft ones
  EXPECT_TRUE(learnt.labelled.equal(torch::tensor({{2.0F, 0.0F}})));
}

TEST_F(AnchoringStep, SoftLabelsAreEvidence) {
  Options options;
  const auto soft = torch::tensor({{0.25F, 0.75F}, {1.0F, 0.0F}});
  const auto step = Anchoring(options)
                        .learn(network(1), network(9), batch_,
                               [&](const torch::Tensor&) -> Anchoring::Labels {
                                 return {soft, torch::ones({2})};
                               })
                        .step;
  EXPECT_TRUE(step.evidence.targets.equal(soft));
  EXPECT_TRUE(step.pseudo_labels.equal(torch::tensor({1, 0}, torch::kLong)));
}

TEST_F(AnchoringStep, WeakViewsAreLabelledByTheStudentOrTheTeacher) {
  Options student, teacher{{"labeller", "teacher"}};
  const auto trust = torch::ones({2});
  Anchoring(student).learn(network(1), network(9), batch_, label_with(trust));
  EXPECT_TRUE(shown_.equal(torch::tensor({{0.0F, 5.0F}, {0.1F, 0.0F}})));
  Anchoring(teacher).learn(network(1), network(9), batch_, label_with(trust));
  EXPECT_TRUE(shown_.allclose(9 * torch::tensor({{0.0F, 5.0F}, {0.1F, 0.0F}})));
}

TEST(Anchoring, AsksForAViewOfEachKindAndItsRatio) {
  Options options{{"ratio", "2.5"}, {"labelled", "both"}};
  const auto views = Anchoring(options).views();
  EXPECT_EQ(views.weak, 1);
  EXPECT_EQ(views.strong, 1);
  EXPECT_EQ(views.ratio, 2.5);
  EXPECT_EQ(views.labelled_strong, 0.5);
}

TEST(Anchoring, RefusesWishesThatExcludeEachOther) {
  Options teacher{{"forward", "joint"}, {"labeller", "teacher"}},
      skipping{{"forward", "joint"}, {"skip_untrusted", "true"}},
      unmasked{{"skip_untrusted", "true"}};
  EXPECT_THAT(error_of([&] { const Anchoring made(teacher); }),
              HasSubstr("expected --set method.labeller=student with it"));
  EXPECT_THAT(error_of([&] { const Anchoring made(skipping); }),
              HasSubstr("expected --set method.forward=split with it"));
  // Where every label counts there is nothing to skip, and no such option.
  const Anchoring soft(unmasked, /*masks=*/false);
  EXPECT_THAT(error_of([&] { unmasked.reject_unknown("method 'soft'"); }),
              HasSubstr("does not know 'skip_untrusted'"));
}

}  // namespace
}  // namespace penumbra
