// What every estimator promises, run over all of them: a newcomer's file is tested as it is.

#include "penumbra/data/images.h"
#include "penumbra/model/weights.h"
#include "penumbra/uncertainty/estimator.h"
#include "tests/expect_error.h"

namespace penumbra {
namespace {

constexpr int64_t kClasses = 4, kFeatures = 16;

// Features around a direction for each class, or anywhere; logits and heads are linear in them.
Output make_output(int64_t n, bool familiar, uint64_t seed) {
  auto weights = make_generator(1), noise = make_generator(seed);
  const auto centres = 5 * draw_orthogonal(kClasses, kFeatures, weights);
  const auto variance = torch::randn({kFeatures, kClasses}, weights);
  const auto certificates = draw_orthogonal(6, kFeatures, weights);
  const auto label = torch::arange(n, torch::kLong).remainder(kClasses);
  auto features = torch::randn({n, kFeatures}, noise) * (familiar ? 0.3 : 3);
  if (familiar) features += centres.index_select(0, label);
  return {features.matmul(centres.t()),
          features,
          {{"variance", features.matmul(variance)},
           {"certificates", features.matmul(certificates.t())}}};
}

class EstimatorContract : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Estimator> fitted() {
    Options options;
    auto estimator = make_estimator(GetParam(), options);
    estimator->fit(familiar_, torch::full({200}, kUnlabelled, torch::kLong));
    return estimator;
  }

  Output familiar_ = make_output(200, true, 2), test_ = make_output(40, true, 3),
         strangers_ = make_output(40, false, 4);
};

TEST_P(EstimatorContract, GivesOneFiniteNumberForEachImage) {
  const auto scores = fitted()->score(test_);
  EXPECT_EQ(scores.sizes(), torch::IntArrayRef({40}));
  EXPECT_TRUE(scores.isfinite().all().item<bool>());
}

TEST_P(EstimatorContract, DoesNotDependOnTheOtherImagesOfABatch) {
  const auto estimator = fitted();
  const auto all = estimator->score(test_);
  Output one{test_.logits.slice(0, 7, 8), test_.features.slice(0, 7, 8), {}};
  for (const auto& [name, values] : test_.heads) one.heads[name] = values.slice(0, 7, 8);
  EXPECT_NEAR(estimator->score(one)[0].item<double>(), all[7].item<double>(),
              1e-4 * std::abs(all[7].item<double>()) + 1e-6);
}

TEST_P(EstimatorContract, SavedAndLoadedItSaysTheSame) {
  const auto estimator = fitted();
  Options options;
  const auto loaded = make_estimator(GetParam(), options);
  loaded->load(estimator->save());
  EXPECT_TRUE(loaded->score(test_).equal(estimator->score(test_)));
}

TEST_P(EstimatorContract, WhatDoesNotFitTheModelIsAnError) {
  const auto saved = fitted()->save();
  using Change = torch::Tensor (*)(const torch::Tensor&);
  for (const Change change : {Change([](const torch::Tensor& t) { return t.flatten(); }),
                              Change([](const torch::Tensor& t) { return t.to(torch::kInt); }),
                              Change([](const torch::Tensor& t) { return t.slice(0, 0, 0); }),
                              Change([](const torch::Tensor& t) { return t.slice(1, 0, 7); })}) {
    for (std::size_t i = 0; i < saved.size(); ++i) {
      auto changed = saved;
      changed[i].tensor = change(saved[i].tensor);
      Options options;
      const auto estimator = make_estimator(GetParam(), options);
      EXPECT_THAT(error_of([&] {
                    estimator->load(changed);
                    estimator->score(test_);
                  }),
                  testing::HasSubstr("penumbra certify fits it anew"))
          << saved[i].name << ' ' << changed[i].tensor.sizes();
    }
  }
}

TEST_P(EstimatorContract, FindsStrangersIfItLearntWhatIsFamiliar) {
  const auto estimator = fitted();
  if (estimator->save().empty()) return;  // those look at one image's own output
  EXPECT_GT(estimator->score(strangers_).median().item<double>(),
            estimator->score(test_).amax().item<double>());
}

TEST_P(EstimatorContract, AnUnknownOptionIsAnErrorAndKnownOnesHaveAMeaning) {
  Options wrong{{"no_such_option", "1"}}, options;
  EXPECT_THAT(error_of([&] { make_estimator(GetParam(), wrong); }),
              testing::HasSubstr("estimator '" + GetParam() + "' does not know 'no_such_option'"));
  make_estimator(GetParam(), options);
  for (const auto& option : options.described()) EXPECT_NE(option.meaning, "") << option.key;
}

std::vector<std::string> estimator_names() {
  std::vector<std::string> all;
  for (const auto& part : list_estimators()) all.push_back(part.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, EstimatorContract, testing::ValuesIn(estimator_names()),
                         [](const auto& tested) { return tested.param; });

TEST(VarianceHead, SaysHowToGetOneWhereThereIsNone) {
  Options options;
  auto output = make_output(4, true, 5);
  output.heads.clear();
  EXPECT_THAT(error_of([&] { make_estimator("variance_head", options)->score(output); }),
              testing::HasSubstr("--method penumbra"));
}

TEST(CertificatesEstimator, TrainedOnesAreTheHeads) {
  Options options{{"source", "trained"}, {"normalise", "false"}};
  const auto output = make_output(4, true, 5);
  EXPECT_TRUE(make_estimator("certificates", options)
                  ->score(output)
                  .allclose(output.heads.at("certificates").square().mean(1)));
}

}  // namespace
}  // namespace penumbra
