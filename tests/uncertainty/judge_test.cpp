#include "penumbra/uncertainty/judge.h"

#include <algorithm>
#include <cmath>

#include "penumbra/model/weights.h"
#include "penumbra/uncertainty/temperature.h"
#include "tests/expect_error.h"
#include "tests/golden_values.h"

namespace penumbra {
namespace {

TEST(Temperature, AgreesWithSciPy) {
  const auto logits = golden_logits();
  const auto wrong = torch::arange(40, torch::kLong).remainder(4) == 0;
  const auto labels = (logits.argmax(1) + wrong.to(torch::kLong)).remainder(7);
  EXPECT_NEAR(fit_temperature(logits, labels), golden("losses.json")["temperature"].get<double>(),
              1e-4);
}

TEST(Temperature, OfLogitsThatAreTwiceTooLargeIsTwiceAsHigh) {
  const auto logits = golden_logits();
  const auto wrong = torch::arange(40, torch::kLong).remainder(4) == 0;
  const auto labels = (logits.argmax(1) + wrong.to(torch::kLong)).remainder(7);
  EXPECT_NEAR(fit_temperature(2 * logits, labels), 2 * fit_temperature(logits, labels), 1e-3);
}

// Two classes far apart along the first two of eight features, and logits in proportion.
Output clothes(int64_t n, uint64_t seed) {
  auto generator = make_generator(seed);
  auto features = 0.1 * torch::randn({n, 8}, generator);
  for (int64_t i = 0; i < n; ++i) features[i][i % 2] += 1;
  return {4 * features.slice(1, 0, 2), features, {{"variance", features.slice(1, 2, 4)}}};
}

class JudgeTest : public testing::Test {
 protected:
  torch::Tensor labels(int64_t n) const { return torch::arange(n, torch::kLong).remainder(2); }

  Judge make(const JudgeOptions& options = {}) const {
    return {options, clothes(400, 1), labels(400), clothes(200, 2), labels(200)};
  }
};

TEST_F(JudgeTest, StrangersAreUnfamiliarAndUndecidedOnesAmbiguous) {
  const auto judge = make();
  auto shown = clothes(3, 3);
  shown.features[1].zero_();
  shown.features[1][6] = 1;  // a direction nobody saw
  shown.logits[2] = torch::tensor({2.0F, 2.0F});
  const auto said = judge.judge(shown);
  EXPECT_EQ(said[0].label, 0);
  EXPECT_NE(said[0].verdict, Verdict::kUnfamiliar);
  EXPECT_EQ(said[1].verdict, Verdict::kUnfamiliar);
  EXPECT_EQ(said[1].epistemic_percentile, 1);
  EXPECT_NEAR(said[2].entropy, 1, 1e-6);
  EXPECT_NE(said[2].verdict, Verdict::kSure);
}

TEST_F(JudgeTest, OfHeldOutPicturesAsManyAreUnfamiliarAsTheQuantileSays) {
  JudgeOptions options;
  options.unfamiliar = 0.9;
  int unfamiliar = 0;
  for (const auto& one : make(options).judge(clothes(200, 2)))
    unfamiliar += one.verdict == Verdict::kUnfamiliar ? 1 : 0;
  EXPECT_NEAR(unfamiliar, 20, 1);
}

TEST_F(JudgeTest, NothingIsSureForAModelThatHasLearntNothing) {
  auto familiar = clothes(400, 1), held_out = clothes(200, 2);
  for (auto* output : {&familiar, &held_out}) output->logits *= 0.01;
  const auto chance = torch::randint(0, 2, {200}, make_generator(4), torch::kLong);
  const Judge judge({}, familiar, labels(400), held_out, chance);
  for (const auto& one : judge.judge(held_out)) {
    EXPECT_LT(one.probability, 0.7);
    EXPECT_NE(one.verdict, Verdict::kSure);
  }
}

// A head at the end of its range says the same of almost every picture: no reason to doubt all.
TEST_F(JudgeTest, ScoresThatAreAllTheSameMakeNoPictureAmbiguousOrUnfamiliar) {
  auto familiar = clothes(400, 1), held_out = clothes(200, 2), shown = clothes(10, 3);
  for (auto* output : {&familiar, &held_out, &shown}) {
    output->heads["variance"].fill_(-9);
    output->logits *= 4;  // entropy is no reason, either
  }
  Options options{{"estimator", "variance_head"}, {"sure", "0"}, {"ambiguous", "1"}};
  const Judge judge(JudgeOptions(options), familiar, labels(400), held_out, labels(200));
  for (const auto& one : judge.judge(shown)) {
    EXPECT_EQ(one.aleatoric, 0);
    EXPECT_EQ(one.epistemic_percentile, 0);
    EXPECT_NE(one.verdict, Verdict::kUnfamiliar);
  }
  shown.heads["variance"].fill_(1);
  EXPECT_EQ(judge.judge(shown)[0].verdict, Verdict::kUnfamiliar);
}

TEST_F(JudgeTest, AnEstimatorByTheVarianceHeadReadsItAsTheMethodDid) {
  for (const char* variance : {"paper", "log"}) {
    Options options{{"estimator", "variance_head"}, {"variance_head", variance}};
    const auto judge = make(JudgeOptions(options));
    for (const auto& one : judge.judge(clothes(5, 3))) EXPECT_EQ(one.epistemic, one.variance);
  }
}

TEST_F(JudgeTest, WrittenAndReadItSaysTheSame) {
  for (const char* estimator : {"knn", "certificates", "mahalanobis", "entropy"}) {
    Options options{{"estimator", estimator}};
    const auto judge = make(JudgeOptions(options));
    const Judge again(Json::parse(judge.facts().dump()), judge.save());
    const auto a = judge.judge(clothes(20, 5)), b = again.judge(clothes(20, 5));
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].epistemic, b[i].epistemic) << estimator;
      EXPECT_EQ(a[i].aleatoric, b[i].aleatoric) << estimator;
      EXPECT_EQ(a[i].probability, b[i].probability) << estimator;
      EXPECT_EQ(a[i].verdict, b[i].verdict) << estimator;
    }
    EXPECT_TRUE(
        judge.certificate_scores(clothes(20, 5)).equal(again.certificate_scores(clothes(20, 5))))
        << estimator;
  }
}

TEST_F(JudgeTest, WithoutAVarianceHeadAleatoricIsTheEntropy) {
  auto familiar = clothes(400, 1), held_out = clothes(200, 2), shown = clothes(4, 3);
  for (auto* output : {&familiar, &held_out, &shown}) output->heads.clear();
  const Judge judge({}, familiar, labels(400), held_out, labels(200));
  EXPECT_FALSE(judge.has_variance());
  for (const auto& one : judge.judge(shown)) EXPECT_EQ(one.aleatoric, one.entropy);
}

TEST_F(JudgeTest, HasCertificatesWhateverItsEstimatorIs) {
  Options options{{"estimator", "certificates"}};
  const auto shown = clothes(20, 5);
  const auto scores = make().certificate_scores(shown);
  const auto by_certificates = make(JudgeOptions(options)).judge(shown);
  for (std::size_t i = 0; i < by_certificates.size(); ++i)
    EXPECT_EQ(scores[static_cast<int64_t>(i)].item<float>(), by_certificates[i].epistemic);
}

TEST_F(JudgeTest, OfAnOlderFileHasNone) {
  const auto judge = make();
  auto tensors = judge.save();
  tensors.erase(std::remove_if(
                    tensors.begin(), tensors.end(),
                    [](const NamedTensor& one) { return one.name.rfind("certificates.", 0) == 0; }),
                tensors.end());
  const Judge older(judge.facts(), tensors);
  EXPECT_TRUE(judge.has_certificates());
  EXPECT_FALSE(older.has_certificates());
  EXPECT_THAT(error_of([&] { older.certificate_scores(clothes(3, 5)); }),
              testing::HasSubstr("has no certificates: penumbra certify fits them"));
  EXPECT_EQ(older.judge(clothes(3, 5))[1].epistemic, judge.judge(clothes(3, 5))[1].epistemic);
}

TEST_F(JudgeTest, DamageIsAnError) {
  const auto judge = make();
  EXPECT_THAT(error_of([&] { Judge(judge.facts(), {}); }), testing::HasSubstr("lacks 'whiten'"));
  auto facts = judge.facts();
  facts["temperature"] = 0;
  EXPECT_THAT(error_of([&] { Judge(facts, judge.save()); }),
              testing::HasSubstr("temperature is 0: expected more than 0"));
}

TEST_F(JudgeTest, NumbersThatNoJudgeHasAreAnError) {
  const auto judge = make();
  const auto error_with = [&](const char* name, double value) {
    auto facts = judge.facts();
    facts[name] = value;
    return error_of([&] { Judge(facts, judge.save()); });
  };
  for (const char* name : {"ambiguous", "unfamiliar", "sure"}) {
    EXPECT_EQ(error_with(name, 5), "the model's '" + std::string(name) +
                                       "' is 5: expected 0 to 1; penumbra certify fits it anew");
    for (const double value : {-0.1, 1.1, double{NAN}, double{INFINITY}})
      EXPECT_THAT(error_with(name, value), testing::HasSubstr(": expected 0 to 1")) << value;
  }
  for (const double value : {-1.0, double{NAN}, double{INFINITY}})
    EXPECT_THAT(error_with("temperature", value), testing::HasSubstr("expected more than 0"));
  EXPECT_THAT(error_with("ambiguous_entropy", INFINITY),
              testing::HasSubstr("'ambiguous_entropy' is inf: expected a number"));
}

TEST_F(JudgeTest, SharesAtTheEndsOfTheirRangeAreRead) {
  const auto judge = make();
  for (const double share : {0.0, 1.0}) {
    auto facts = judge.facts();
    for (const char* name : {"ambiguous", "unfamiliar", "sure"}) facts[name] = share;
    const Judge read(facts, judge.save());
    EXPECT_TRUE(std::isfinite(read.epistemic_quantile(read.options().unfamiliar)));
  }
}

TEST_F(JudgeTest, ScoresThatAreNoAscendingListAreAnError) {
  const auto judge = make();
  for (const char* name : {"epistemic_scores", "variance_scores"})
    for (const auto& scores :
         {torch::tensor({1.0F, 3.0F, 2.0F}), torch::tensor({1.0F, NAN}), torch::tensor({NAN}),
          torch::tensor({-INFINITY, INFINITY}), torch::zeros({0}),
          torch::zeros({3}, torch::kDouble), torch::zeros({2, 2})}) {
      auto tensors = judge.save();
      for (auto& one : tensors)
        if (one.name == name) one.tensor = scores;
      EXPECT_THAT(error_of([&] { Judge(judge.facts(), tensors); }),
                  testing::HasSubstr("expected a list of ascending Floats"))
          << name << ' ' << scores;
    }
}

TEST_F(JudgeTest, MoreScoresThanQuantilesAreTakenOfAreAnError) {
  const auto judge = make();
  auto tensors = judge.save();
  tensors.at(0) = {"epistemic_scores", torch::zeros({(1 << 24) + 1})};
  EXPECT_THAT(error_of([&] { Judge(judge.facts(), tensors); }),
              testing::HasSubstr("at most 16777216"));
}

}  // namespace
}  // namespace penumbra
