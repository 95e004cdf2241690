// What every method promises, run over all of them: a newcomer's file is tested as it is.

#include <cmath>
#include <numeric>
#include <set>

#include "penumbra/augment/loader.h"
#include "penumbra/augment/statistics.h"
#include "penumbra/core/config.h"
#include "penumbra/data/dataset.h"
#include "penumbra/method/method.h"
#include "penumbra/model/image_inference.h"
#include "tests/expect_error.h"

namespace penumbra {
namespace {

// Such options, and a threshold so low, where there is one, that labels of a network that knows
// nothing are trusted.
Options trusting(std::initializer_list<std::pair<const char*, const char*>> given = {}) {
  Config config;
  for (const auto& [key, value] : given) config.set(std::string("method.") + key, value, "test");
  config.set_default("method.threshold", "0.25", "test");
  return config.section("method");
}

// Late in the run: starts and ramps are over, and what a method does last it does now.
constexpr double kLate = 0.95;

class MethodContract : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    method_ = make_method(GetParam(), options_);
    Options data{{"count", "64"}, {"size", "8"}}, augment, model;
    Reading reading;
    Source source;
    source.images = make_dataset("blobs", data)->train(reading);
    source.labelled.resize(16);
    source.unlabelled.resize(48);
    std::iota(source.labelled.begin(), source.labelled.end(), 0);
    std::iota(source.unlabelled.begin(), source.unlabelled.end(), 16);
    source.views = method_->views();
    source.policies = make_policies("randaugment", augment, true);
    source.normalisation = normalisation_of(source.images, 1);
    LoaderOptions loader;
    loader.batch_size = 8;
    batch_ = Loader(source, loader).next();
    batch_.progress = kLate;
    const auto backbone = make_backbone("tiny", {3, 8, 8}, model);
    student_ = std::make_shared<Classifier>(
        backbone, 4, method_->heads(backbone->feature_size(), 4), make_generator(1));
    teacher_ = student_->copy();
    teacher_->eval();
    pool_ = {source.labelled, source.unlabelled, source.images.labels.slice(0, 0, 16), 4};
    const auto look = [&](const std::vector<int64_t>& positions) {
      return infer(*teacher_, source.images, positions, source.normalisation);
    };
    survey_ = {look(source.labelled), look(source.unlabelled)};
    method_->meet(pool_);
    survey(*method_);
  }

  // Another that has done nothing yet.
  std::unique_ptr<Method> fresh() {
    auto made = make_method(GetParam(), options_);
    made->meet(pool_);
    return made;
  }

  void survey(Method& method) const {
    if (!method.surveys().empty()) method.see(survey_);
  }

  Step step() { return method_->step(forward_of(*student_), forward_of(*teacher_), batch_); }

  Options options_ = trusting();
  std::unique_ptr<Method> method_;
  Batch batch_;
  Pool pool_;
  Survey survey_;
  std::shared_ptr<Classifier> student_, teacher_;
};

TEST_P(MethodContract, GivesAFiniteScalarAndNumbersToPlot) {
  const auto result = step();
  EXPECT_EQ(result.loss.dim(), 0);
  EXPECT_TRUE(std::isfinite(result.loss.item<double>()));
  EXPECT_GT(result.report.count("loss/supervised"), 0u);
  for (const auto& [name, value] : result.report) EXPECT_TRUE(std::isfinite(value)) << name;
  const auto views = method_->views();
  if (views.weak + views.strong > 0) {
    EXPECT_GT(result.report.size(), 1u) << "a start with labelled images alone is over";
  }
}

TEST_P(MethodContract, GradientsReachTheStudentAndNotTheTeacher) {
  step().loss.backward();
  for (const auto& weight : student_->weights())
    if (weight.name == "fc.weight") {
      EXPECT_GT(weight.tensor.grad().abs().sum().item<double>(), 0);
    }
  for (const auto& weight : teacher_->weights()) EXPECT_FALSE(weight.tensor.grad().defined());
}

TEST_P(MethodContract, TheSameBatchGivesTheSameBits) {
  const auto first = step().loss.item<double>();
  student_->assign(*teacher_);
  const auto again = fresh();
  survey(*again);
  EXPECT_EQ(again->step(forward_of(*student_), forward_of(*teacher_), batch_).loss.item<double>(),
            first);
}

TEST_P(MethodContract, StateThatIsSavedAndLoadedGoesOnTheSame) {
  step();
  const auto other = fresh();
  const auto saved = method_->save(), before = other->save();
  bool changed = saved.size() != before.size();
  for (std::size_t i = 0; i < saved.size() && !changed; ++i)
    changed = !saved[i].tensor.equal(before[i].tensor);
  EXPECT_EQ(changed, !saved.empty()) << "there must be something to load";
  other->load(saved);
  student_->assign(*teacher_);
  const auto expected = step().loss.item<double>();
  student_->assign(*teacher_);
  EXPECT_EQ(other->step(forward_of(*student_), forward_of(*teacher_), batch_).loss.item<double>(),
            expected);
}

// A checkpoint whose checksum is right may still be a stranger's.
TEST_P(MethodContract, StateOfOtherSizesOrOfAnotherTypeIsAnError) {
  step();
  const auto saved = method_->save();
  using Change = torch::Tensor (*)(const torch::Tensor&);
  for (const Change change : {Change([](const torch::Tensor& t) { return t.unsqueeze(0); }),
                              Change([](const torch::Tensor& t) { return t.to(torch::kShort); })})
    for (std::size_t i = 0; i < saved.size(); ++i) {
      auto changed = saved;
      changed[i].tensor = change(saved[i].tensor);
      EXPECT_THAT(error_of([&] { fresh()->load(changed); }),
                  testing::HasSubstr("what was saved has '" + saved[i].name + "'"));
    }
}

TEST_P(MethodContract, PseudoLabelsAreClassesOrNone) {
  const auto result = step();
  if (!result.pseudo_labels.defined()) return;
  EXPECT_EQ(result.pseudo_labels.sizes(), batch_.index.sizes());
  EXPECT_GE(result.pseudo_labels.min().item<int64_t>(), kUnlabelled);
  EXPECT_LT(result.pseudo_labels.max().item<int64_t>(), 4);
}

TEST_P(MethodContract, AnUnknownOptionIsAnErrorAndKnownOnesHaveAMeaning) {
  Options wrong{{"no_such_option", "1"}};
  EXPECT_THAT(error_of([&] { make_method(GetParam(), wrong); }),
              testing::HasSubstr("method '" + GetParam() + "' does not know 'no_such_option'"));
  for (const auto& option : options_.described()) EXPECT_NE(option.meaning, "") << option.key;
}

// L_UA where it has soft labels, L_UE for every one: no two parts may ask for the same option.
TEST_P(MethodContract, CanBeComplementedByThePapersLosses) {
  try {
    options_ = trusting({{"l_ua", "1"}, {"l_ue", "1"}});
    SetUp();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("has no soft labels"));
    options_ = trusting({{"l_ue", "1"}});
    SetUp();
  }
  const auto result = step();
  EXPECT_TRUE(std::isfinite(result.loss.item<double>()));
  EXPECT_GT(result.report.count("loss/epistemic"), 0U);
  std::set<std::string> keys;
  for (const auto& option : options_.described())
    EXPECT_TRUE(keys.insert(option.key).second) << option.key;
}

TEST_P(MethodContract, CertificatesOfStrongViewsCanWaitForThem) {
  if (method_->views().strong == 0) {
    Options options{{"l_ue", "1"}, {"ue_samples", "strong"}};
    EXPECT_THAT(error_of([&] { make_method(GetParam(), options); }),
                testing::HasSubstr("has no strong views"));
    return;
  }
  options_ = trusting({{"l_ue", "1"}, {"ue_samples", "strong"}, {"supervised", "0.5"}});
  SetUp();
  batch_.progress = 0.1;
  EXPECT_TRUE(std::isfinite(step().report.at("loss/epistemic")));
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& part : list_methods()) all.push_back(part.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, MethodContract, testing::ValuesIn(names()),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace penumbra
