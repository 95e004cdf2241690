// skip_untrusted changes what is computed, not what is learnt: without batch norm, loss and
// gradient are the same.

#include <numeric>

#include "penumbra/method/strong_views.h"

#include "tests/expect_error.h"
#include "tests/golden_values.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

struct Case {
  std::string method;
  Options options;
  double sure = 2;  // factor of the weak views' logits
};

// logits = features = images W, for two labelled images and ten unlabelled ones.
class SkipUntrusted : public testing::TestWithParam<Case> {
 protected:
  struct Result {
    Step step;
    torch::Tensor gradient;  // [7, 7], of W
    int64_t rows = 0;        // that went through the student with gradient
  };

  Result run(bool skip) const {
    auto options = GetParam().options;
    options.set("skip_untrusted", skip ? "true" : "false");
    const auto method = make_method(GetParam().method, options);
    Pool pool;
    pool.labelled = {10, 11};
    for (int64_t i = 0; i < 10; ++i) pool.unlabelled.push_back(i);
    pool.labels = torch::tensor({2, 3}, torch::kLong);
    pool.classes = 7;
    method->meet(pool);
    const auto logits = golden_logits();
    Survey survey;
    survey.unlabelled.logits = 2 * logits.slice(0, 0, 10);
    if (!method->surveys().empty()) method->see(survey);

    Batch batch;
    batch.images = logits.slice(0, 30, 32);
    batch.labels = pool.labels;
    batch.strong = {logits.slice(0, 20, 30)};
    batch.weak = {GetParam().sure * logits.slice(0, 0, 10)};
    batch.index = torch::arange(10, torch::kLong);
    batch.all = torch::cat({batch.images, batch.strong[0], batch.weak[0]});

    Result result;
    const auto weights = (torch::eye(7, torch::kDouble) + 0.1).requires_grad_();
    const Forward student(
        [&](const torch::Tensor& images) {
          if (torch::GradMode::is_enabled()) result.rows = images.size(0);
          const auto said = images.matmul(weights);
          return Output{said, said, {}};
        },
        [&](const std::string&) {
          return HeadWeights{torch::eye(7, torch::kDouble), {}};
        });
    method->step(student, student, batch);  // what thresholds per class start from
    result.step = method->step(student, student, batch);
    result.step.loss.backward();
    result.gradient = weights.grad();
    return result;
  }
};

TEST_P(SkipUntrusted, ComputesLessAndLearnsTheSame) {
  const auto all = run(false), some = run(true);
  const auto kept = all.step.evidence.mask.gt(0).sum().item<int64_t>();
  ASSERT_GT(kept, 0);
  ASSERT_LT(kept, 10);
  EXPECT_EQ(all.rows, 12);
  EXPECT_EQ(some.rows, 2 + kept);
  EXPECT_NEAR(some.step.loss.item<double>(), all.step.loss.item<double>(), 1e-12);
  EXPECT_TRUE(some.gradient.allclose(all.gradient, 1e-10, 1e-12));
  EXPECT_TRUE(some.step.pseudo_labels.equal(all.step.pseudo_labels));
  EXPECT_EQ(some.step.report.at("mask"), all.step.report.at("mask"));
  const auto skipped = all.step.evidence.mask == 0;
  EXPECT_EQ(some.step.evidence.strong_logits.index({skipped}).abs().sum().item<double>(), 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, SkipUntrusted,
    testing::Values(
        Case{"fixmatch", {{"threshold", "0.7"}}},
        Case{"uda", {{"threshold", "0.7"}, {"annealing", "linear"}}},
        Case{"freematch", {{"momentum", "0"}}, 0.05},
        Case{"generations", {{"supervised", "0"}, {"threshold", "0.9"}, {"online", "0"}}},
        Case{"penumbra", {{"threshold", "0.9"}, {"weak", "1"}, {"strong", "1"}, {"l_ue", "0"}}},
        Case{"penumbra",
             {{"threshold", "0.9"},
              {"weak", "1"},
              {"strong", "1"},
              {"l_ue", "0"},
              {"ua_loss", "mse"},
              {"ua_normaliser", "kept"}}}),
    [](const auto& tested) {
      return tested.param.method + std::to_string(tested.param.options.has("ua_loss") ? 2 : 1);
    });

// Rows of zeros would make L_UE smaller, the more of them the smaller.
TEST(StrongViews, ThatAreSkippedDoNotCountInTheEpistemicLoss) {
  const auto epistemic = [](const std::string& name, Options options, bool skip, double sure) {
    for (const auto& [key, value] :
         {std::pair("ue_samples", "strong"), {"lambda", "0"}, {"l_ua", "0"}, {"l_ue", "1"}})
      options.set(key, value);
    options.set("skip_untrusted", skip ? "true" : "false");
    const auto method = make_method(name, options);
    Pool pool;
    pool.unlabelled.resize(10);
    std::iota(pool.unlabelled.begin(), pool.unlabelled.end(), 0);
    pool.labels = torch::arange(7);
    pool.classes = 7;
    method->meet(pool);
    const auto logits = golden_logits();
    Batch batch;
    batch.images = logits.slice(0, 30, 32);
    batch.labels = torch::tensor({2, 3}, torch::kLong);
    // Every view is the same, so that any mean over some of them is.
    batch.strong = {torch::ones({10, 7}, torch::kDouble)};
    batch.weak = {sure * logits.slice(0, 0, 10)};
    batch.weak[0][9] *= 0.1;  // trusted by nobody
    batch.index = torch::arange(10, torch::kLong);
    batch.all = torch::cat({batch.images, batch.strong[0], batch.weak[0]});
    const Forward student(
        [](const torch::Tensor& images) {
          return Output{images, images, {}};
        },
        [](const std::string&) {
          return HeadWeights{torch::eye(7, torch::kDouble), {}};
        });
    method->step(student, student, batch);  // FlexMatch's first thresholds are 0
    const auto step = method->step(student, student, batch);
    EXPECT_EQ(step.report.at("mask") > 0, sure > 0);
    EXPECT_LT(step.report.at("mask"), 1);
    return step.report.at("loss/epistemic");
  };
  const Options one_view{{"threshold", "0.9"}, {"weak", "1"}, {"strong", "1"}},
      threshold{{"threshold", "0.7"}}, flexible{{"threshold", "0.8"}, {"warm_up", "false"}},
      following{{"momentum", "0"}};
  for (const auto& [name, options] : {std::pair("penumbra", one_view),
                                      {"fixmatch", threshold},
                                      {"uda", threshold},
                                      {"flexmatch", flexible},
                                      {"freematch", following}}) {
    SCOPED_TRACE(name);
    EXPECT_NEAR(epistemic(name, options, false, 2), 1, 1e-12);
    EXPECT_NEAR(epistemic(name, options, true, 2), 1, 1e-12);
  }
  // Where every view is skipped there is nothing to learn from.
  EXPECT_NEAR(epistemic("penumbra", one_view, true, 0), 0, 1e-12);
}

TEST(StrongViews, WithNothingTrustedOnlyLabelledImagesAreComputed) {
  Batch batch;
  batch.images = torch::ones({2, 3});
  batch.index = torch::arange(4, torch::kLong);
  batch.all = torch::ones({10, 3});
  StrongViews views;
  views.skip_untrusted = true;
  int64_t rows = 0;
  const Forward student([&](const torch::Tensor& x) {
    rows = x.size(0);
    return Output{x, x, {{"variance", x.slice(1, 0, 1)}}};
  });
  const auto said = views.forward(student, batch, 2, torch::zeros({4}));
  EXPECT_EQ(rows, 2);
  EXPECT_EQ(said.logits.size(0), 10);
  EXPECT_EQ(said.heads.at("variance").sizes(), torch::IntArrayRef({10, 1}));
  // Trust of an image counts for each of its strong views.
  views.forward(student, batch, 2, torch::tensor({0, 1, 0, 0}));
  EXPECT_EQ(rows, 4);
}

TEST(StrongViews, WhatNeedsEveryViewCannotBeSkippedWith) {
  const auto error = [](const std::string& method, Options options) {
    options.set("skip_untrusted", "true");
    return error_of([&] { make_method(method, options); });
  };
  EXPECT_THAT(error("fixmatch", {{"forward", "joint"}}), HasSubstr("method.forward=split"));
  EXPECT_THAT(error("penumbra", {{"mask_view", "strong"}}), HasSubstr("method.mask_view=weak"));
  EXPECT_THAT(error("penumbra", {{"variance_samples", "all"}}),
              HasSubstr("method.variance_samples=masked"));
  EXPECT_THAT(error("simple", {}), HasSubstr("does not know 'skip_untrusted'"));
  EXPECT_THAT(error("softmatch", {}), HasSubstr("does not know 'skip_untrusted'"));
}

}  // namespace
}  // namespace penumbra
