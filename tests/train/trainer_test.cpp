#include "penumbra/train/trainer.h"

#include <limits>
#include <numeric>

#include "penumbra/augment/statistics.h"
#include "penumbra/core/config.h"
#include "penumbra/data/dataset.h"
#include "penumbra/model/image_inference.h"
#include "penumbra/train/checkpoint.h"
#include "tests/expect_error.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

// A tiny training with parts of its own.
struct TinyRun {
  std::unique_ptr<Method> method;
  Training training;

  explicit TinyRun(const std::string& name, const std::string& policy = "randaugment",
                   Options method_options = {}) {
    Options data{{"count", "64"}, {"size", "8"}}, augment, model{{"width", "16"}};
    Reading reading;
    method = make_method(name, method_options);
    auto& source = training.source;
    source.images = make_dataset("blobs", data)->train(reading);
    source.labelled.resize(16);
    source.unlabelled.resize(48);
    std::iota(source.labelled.begin(), source.labelled.end(), 0);
    std::iota(source.unlabelled.begin(), source.unlabelled.end(), 16);
    source.views = method->views();
    source.policies = make_policies(policy, augment, /*mirrors=*/false);
    source.normalisation = normalisation_of(source.images, 1);
    training.method = method.get();
    const auto generator = make_generator(5);
    const auto backbone = make_backbone("tiny", {3, 8, 8}, model, generator);
    training.student = std::make_shared<Classifier>(
        backbone, 4, method->heads(backbone->feature_size(), 4), generator);
    training.student->use_channels_last();
    training.options.steps = training.options.schedule.steps = 12;
    training.options.batch = 4;
    training.options.report_every = 1;
    training.options.checkpoint_seconds = 0;
    training.fingerprint = "f";
  }
};

void expect_same(const Classifier& a, const Classifier& b) {
  const auto left = a.state(), right = b.state();
  for (std::size_t i = 0; i < left.size(); ++i)
    EXPECT_TRUE(left[i].tensor.equal(right[i].tensor)) << left[i].name;
}

TEST(Train, TheSameSeedGivesTheSameBits) {
  expect_same(*train(TinyRun("fixmatch").training, {}).teacher,
              *train(TinyRun("fixmatch").training, {}).teacher);
}

TEST(Train, AnotherSeedGivesAnotherModel) {
  TinyRun other("fixmatch");
  other.training.seed = 1;
  const auto a = train(TinyRun("fixmatch").training, {}).teacher,
             b = train(other.training, {}).teacher;
  EXPECT_FALSE(a->weights()[0].tensor.equal(b->weights()[0].tensor));
}

// A run that `make` sets up, stopped after so many steps and resumed with fresh parts, ends as
// one that was not.
template <class Make>
void expect_resumed_at(const std::vector<int64_t>& stops, const Make& make) {
  const auto whole = train(make().training, {});
  for (const int64_t stop : stops) {
    const TestFolder folder;
    auto first = make(), second = make();
    first.training.state = second.training.state = folder.path();
    int64_t done = 0, resumed = -1;
    TrainEvents events, rest;
    events.report = [&](const TrainReport& report) { done = report.step; };
    events.stop = [&] { return done >= stop; };
    const auto part = train(first.training, events);
    EXPECT_FALSE(part.finished);
    EXPECT_EQ(part.steps, stop);
    rest.begin = [&](int64_t step) { resumed = step; };
    const auto result = train(second.training, rest);
    EXPECT_EQ(resumed, stop);
    EXPECT_TRUE(result.finished);
    expect_same(*whole.teacher, *result.teacher);
  }
}

TEST(Train, ResumedAtAnyStepItIsTheSameRun) {
  for (const char* policy : {"randaugment", "ctaugment"})
    expect_resumed_at({0, 1, 5, 11}, [&] { return TinyRun("fixmatch", policy); });
}

// Stopped in the start with labelled images alone, and when the method has seen much.
TEST(Train, EveryMethodResumesAsTheSameRun) {
  Config config;  // without harm where a method does not know an option
  for (const auto& [name, value] : {std::pair("method.supervised", "0.25"),
                                    {"method.threshold", "0.25"},
                                    {"method.propagations", "3"}})
    config.set_default(name, value, "test");
  for (const auto& method : list_methods()) {
    SCOPED_TRACE(method.name);
    expect_resumed_at(
        {2, 8}, [&] { return TinyRun(method.name, "randaugment", config.section("method")); });
  }
}

TEST(Train, SurveysAreMadeWhenTheyAreDueAndCounted) {
  const auto run = [] {
    return TinyRun("generations", "randaugment", {{"generations", "3"}, {"supervised", "0.25"}});
  };
  const auto whole = train(run().training, {});
  EXPECT_EQ(whole.survey_cost.surveys, 3);  // at steps 3, 6 and 9 of 12
  EXPECT_GT(whole.survey_cost.seconds, 0);
  EXPECT_LE(whole.survey_cost.seconds, whole.seconds);
  EXPECT_EQ(train(TinyRun("fixmatch").training, {}).survey_cost.surveys, 0);

  const TestFolder folder;
  auto first = run(), second = run();
  first.training.state = second.training.state = folder.path();
  TrainEvents events;
  int64_t done = 0;
  events.report = [&](const TrainReport& report) { done = report.step; };
  events.stop = [&] { return done == 5; };
  EXPECT_EQ(train(first.training, events).survey_cost.surveys, 1);
  EXPECT_EQ(train(second.training, {}).survey_cost.surveys, 2);
}

TEST(Train, SurveysThatAreDueAtOnceAreOne) {
  TinyRun run("generations", "randaugment", {{"generations", "1000"}, {"supervised", "0"}});
  int64_t steps = 0;
  TrainEvents events;
  events.report = [&](const TrainReport&) { ++steps; };
  const auto result = train(run.training, events);
  EXPECT_EQ(steps, 12);
  EXPECT_EQ(result.survey_cost.surveys, 917);  // due by step 11, of which 12 were made
}

TEST(Train, MeasuringAStepLeavesNoTrace) {
  for (const auto& method : list_methods())
    for (const int further : {0, 2}) {
      SCOPED_TRACE(method.name);
      TinyRun measured(method.name, "ctaugment");
      EXPECT_GT(measure_step(measured.training, 0, further), 0);
      expect_same(*train(measured.training, {}).teacher,
                  *train(TinyRun(method.name, "ctaugment").training, {}).teacher);
    }
}

// Counts its steps, and those that are only timed.
class Counting final : public Method {
 public:
  explicit Counting(Method& method) : method_(method) {}
  int64_t steps = 0, rehearsed = 0;

  Views views() const override { return method_.views(); }
  Step step(const Forward& student, const Forward& teacher, const Batch& batch) override {
    ++steps;
    if (batch.rehearsal) ++rehearsed;
    return method_.step(student, teacher, batch);
  }

 private:
  Method& method_;
};

TEST(Train, OnlyAStepThatIsMeasuredIsARehearsal) {
  TinyRun run("fixmatch");
  Counting method(*run.method);
  run.training.method = &method;
  measure_step(run.training, 0, /*further=*/2);
  EXPECT_EQ(method.steps, 3);
  EXPECT_EQ(method.rehearsed, 3);
  train(run.training, {});
  EXPECT_EQ(method.steps, 15);
  EXPECT_EQ(method.rehearsed, 3);
}

TEST(Train, TheModelOfTheBestValidationIsHandedOver) {
  TinyRun run("supervised");
  run.training.options.evaluations = 4;
  const std::vector<double> accuracies{0.5, 0.7, 0.7, 0.6};
  std::size_t next = 0;
  std::vector<int64_t> best;
  TrainEvents events;
  events.validate = [&](Classifier&) { return accuracies.at(next++); };
  events.best = [&](Classifier&, int64_t step) { best.push_back(step); };
  const auto result = train(run.training, events);
  EXPECT_EQ(best, (std::vector<int64_t>{3, 6, 9}));
  EXPECT_EQ(result.best_step, 9);
  EXPECT_EQ(result.best_accuracy, 0.7);
}

// Killed after it, a run of minutes may never look at this step again.
TEST(Train, ANewBestModelIsInACheckpointAtOnceAndReportsAreKeptBefore) {
  const TestFolder folder;
  TinyRun run("supervised");
  run.training.state = folder / "state";
  run.training.options.evaluations = 4;
  run.training.options.checkpoint_seconds = 1e6;
  TrainEvents events;
  std::vector<std::string> order;
  events.validate = [&](Classifier&) { return 0.5; };
  events.best = [&](Classifier&, int64_t) { order.emplace_back("best"); };
  events.report = [&](const TrainReport& report) {
    if (report.numbers.count("validation/accuracy") != 0) order.emplace_back("report");
  };
  events.keep = [&] { order.emplace_back("keep"); };
  int64_t steps = 0;
  events.stop = [&] { return steps++ == 5; };
  EXPECT_EQ(train(run.training, events).steps, 5);
  EXPECT_EQ(order, (std::vector<std::string>{"best", "report", "keep", "keep"}));
  const auto left = read_checkpoint(folder / "state", "f", [](const std::string&) {});
  EXPECT_EQ(left->facts.at("best_step"), 3);
}

TEST(Train, ALossThatIsNotFiniteNamesStepAndTermAndKeepsTheCheckpoint) {
  const TestFolder folder;
  TinyRun run("supervised");
  run.training.state = folder.path();
  TrainEvents events;
  events.report = [&](const TrainReport& report) {
    if (report.step != 3) return;
    const torch::NoGradGuard no_gradient;
    run.training.student->parameters()[0].fill_(std::numeric_limits<float>::quiet_NaN());
  };
  EXPECT_THAT(error_of([&] { train(run.training, events); }),
              HasSubstr("'loss/supervised' is not a finite number at step 3: try a smaller"));
  EXPECT_TRUE(std::filesystem::exists(folder / "step-000000002.safetensors"));
}

TEST(Train, ReportsWhatTheMethodReportsAndPseudoLabelAccuracy) {
  Options always{{"threshold", "0"}};
  TinyRun run("fixmatch", "randaugment", always);
  TrainReport last;
  TrainEvents events;
  events.report = [&](const TrainReport& report) { last = report; };
  train(run.training, events);
  EXPECT_EQ(last.step, 12);
  for (const char* name : {"loss", "loss/supervised", "loss/consistency", "mask", "lr", "gradient",
                           "pseudo_label_accuracy"})
    EXPECT_EQ(last.numbers.count(name), 1u) << name;
  EXPECT_EQ(last.numbers["mask"], 1);
}

TEST(Train, LearnsBlobs) {
  TinyRun run("supervised");
  run.training.options.steps = run.training.options.schedule.steps = 400;
  run.training.options.schedule.lr = 0.1;
  const auto teacher = train(run.training, {}).teacher;
  const auto& source = run.training.source;
  const auto logits =
      infer(*teacher, source.images, source.unlabelled, source.normalisation).logits;
  const auto labels = source.images.labels.slice(0, 16);
  EXPECT_GE(logits.argmax(1).eq(labels).sum().item<int64_t>(), 36);  // of 48; guessing gets 12
}

TEST(TrainOptions, AreReadAndDescribed) {
  Options given{{"steps", "70"},  {"batch", "16"},      {"lr", "0.5"},        {"cosine", "0.25"},
                {"warm_up", "9"}, {"evaluations", "7"}, {"ema_decay", "0.9"}, {"clip", "5"}};
  const TrainOptions options(given);
  EXPECT_EQ(options.steps, 70);
  EXPECT_EQ(options.schedule.steps, 70);
  EXPECT_EQ(options.schedule.lr, 0.5);
  EXPECT_EQ(options.schedule.cosine, 0.25);
  EXPECT_EQ(options.schedule.warm_up, 9);
  EXPECT_EQ(options.optimiser.clip, 5);
  EXPECT_EQ(options.ema.decay, 0.9);
  EXPECT_NO_THROW(given.reject_unknown("training"));
  for (const auto& option : given.described()) EXPECT_NE(option.meaning, "") << option.key;
}

TEST(TrainOptions, EvaluationsAreSpreadEvenlyAndNeverOftenerThanSteps) {
  TrainOptions options;
  options.evaluations = 20;
  options.set_steps(1000);
  EXPECT_EQ(options.evaluate_every(), 50);
  options.set_steps(1001);
  EXPECT_EQ(options.evaluate_every(), 51);  // rounded up: no more than were asked for
  options.set_steps(7);
  EXPECT_EQ(options.evaluate_every(), 1);
  EXPECT_EQ(options.schedule.steps, 7);
}

TEST(TrainOptions, OutOfRangeAreNamed) {
  for (const auto& setting : std::vector<std::pair<std::string, std::string>>{
           {"steps", "0"}, {"batch", "0"}, {"lr", "-1"}, {"cosine", "0.6"}, {"evaluations", "0"}}) {
    Options options{setting};
    EXPECT_THAT(error_of([&] { const TrainOptions read(options); }),
                HasSubstr("option '" + setting.first + "' is '" + setting.second + "'"));
  }
}

TEST(Train, ReportsAsOftenAsAskedAndAtTheEnd) {
  TinyRun run("supervised");
  run.training.options.report_every = 5;
  run.training.options.evaluations = 1;
  std::vector<int64_t> steps;
  TrainEvents events;
  events.report = [&](const TrainReport& report) {
    steps.push_back(report.step);
    EXPECT_EQ(report.steps, 12);
    EXPECT_GT(report.images_per_second, 0);
  };
  const auto result = train(run.training, events);
  EXPECT_EQ(steps, (std::vector<int64_t>{5, 10, 12}));
  EXPECT_TRUE(result.finished);
  EXPECT_EQ(result.best_accuracy, -1);  // nobody validated
}

TEST(Train, ARunThatIsFinishedIsNotTrainedAgain) {
  const TestFolder folder;
  TinyRun first("supervised"), again("supervised");
  first.training.state = again.training.state = folder.path();
  const auto done = train(first.training, {});
  TrainEvents events;
  events.report = [](const TrainReport&) { ADD_FAILURE() << "made another step"; };
  const auto result = train(again.training, events);
  EXPECT_TRUE(result.finished);
  EXPECT_EQ(result.steps, 12);
  EXPECT_GE(result.seconds, done.seconds * 0.5);  // the earlier part counts
  expect_same(*done.teacher, *result.teacher);
}

TEST(Train, AStateOfAnotherConfigurationIsRefused) {
  const TestFolder folder;
  TinyRun first("supervised"), other("supervised");
  first.training.state = other.training.state = folder.path();
  train(first.training, {});
  other.training.fingerprint = "another";
  EXPECT_THAT(error_of([&] { train(other.training, {}); }),
              HasSubstr("belongs to another configuration or other data"));
}

}  // namespace
}  // namespace penumbra
