// Every method's loss on one batch against an independent implementation (make_methods.py), with a
// network that is the identity: the images are the logits.

#include "penumbra/method/method.h"

#include <tuple>

#include "penumbra/method/propagation.h"
#include "tests/expect_error.h"
#include "tests/golden_values.h"

namespace penumbra {
namespace {

const Forward kSame([](const torch::Tensor& x) { return Output{x, x, {}}; });

// Four labelled images, ten unlabelled ones.
Batch batch_for(const Views& views, double progress) {
  const auto logits = golden_logits();
  const auto rows = [&](int64_t begin, int64_t end) { return logits.slice(0, begin, end); };
  Batch batch;
  batch.progress = progress;
  batch.images = rows(0, 4);
  batch.labels = torch::arange(4, torch::kLong);
  const std::vector<torch::Tensor> weak{rows(4, 14), rows(14, 24)},
      strong{rows(24, 34), rows(30, 40)};
  batch.weak.assign(weak.begin(), weak.begin() + views.weak);
  batch.strong.assign(strong.begin(), strong.begin() + views.strong);
  std::vector<torch::Tensor> all{batch.images};
  for (const auto* part : {&batch.strong, &batch.weak})
    all.insert(all.end(), part->begin(), part->end());
  batch.all = torch::cat(all);
  batch.index = torch::arange(10, torch::kLong);
  return batch;
}

// Twelve images in the pool, of which the batch has ten.
Pool pool() {
  Pool made;
  for (int64_t i = 0; i < 12; ++i) made.unlabelled.push_back(i);
  made.labels = torch::tensor({0, 0, 1, 2, 3, 4, 5, 6}, torch::kLong);
  for (int64_t i = 12; i < 20; ++i) made.labelled.push_back(i);
  made.classes = 7;
  return made;
}

double loss_of(const std::string& name, Options options, double progress = 0, int steps = 1) {
  const auto method = make_method(name, options);
  method->meet(pool());
  const auto batch = batch_for(method->views(), progress);
  double loss = 0;
  for (int i = 0; i < steps; ++i) loss = method->step(kSame, kSame, batch).loss.item<double>();
  return loss;
}

double expected(const char* name) { return golden("methods.json")[name].get<double>(); }

// Rows of the golden logits, as what is said of images.
Output said_of(int64_t begin, int64_t end) {
  const auto rows = golden_logits().slice(0, begin, end);
  return {rows, rows, {}};
}

constexpr double kClose = 1e-6;  // moving averages are kept in single precision

TEST(Methods, AgreeWithPython) {
  EXPECT_NEAR(loss_of("supervised", {}), expected("supervised"), kClose);
  EXPECT_NEAR(loss_of("supervised", {{"smoothing", "0.1"}}), expected("supervised_smooth"), kClose);
  EXPECT_NEAR(loss_of("fixmatch", {{"threshold", "0.5"}, {"labels", "soft"}}),
              expected("fixmatch_soft"), kClose);
  EXPECT_NEAR(loss_of("uda", {{"threshold", "0.5"}, {"annealing", "linear"}}, 0.5), expected("uda"),
              kClose);
  EXPECT_NEAR(loss_of("flexmatch", {{"threshold", "0.58"}}, 0, 2), expected("flexmatch"), kClose);
  EXPECT_NEAR(loss_of("flexmatch", {{"threshold", "0.58"}, {"warm_up", "false"}}, 0, 2),
              expected("flexmatch_no_warm_up"), kClose);
  EXPECT_NEAR(loss_of("freematch", {{"momentum", "0.5"}, {"fairness", "0.1"}}, 0, 2),
              expected("freematch"), kClose);
  EXPECT_NEAR(loss_of("softmatch", {{"momentum", "0.5"}}, 0, 2), expected("softmatch"), kClose);
  EXPECT_NEAR(
      loss_of("pseudo_label", {{"threshold", "0.5"}, {"weight", "2"}, {"ramp_up", "0.5"}}, 0.25),
      expected("pseudo_label"), kClose);
  EXPECT_NEAR(loss_of("pi_model", {{"ramp_up", "0.5"}}, 0.25), expected("pi_model"), kClose);
  EXPECT_NEAR(loss_of("mean_teacher", {{"ramp_up", "0.5"}, {"ramp", "sigmoid"}}, 0.25),
              expected("mean_teacher"), kClose);
  EXPECT_NEAR(loss_of("simple", {{"strong", "2"}, {"threshold", "0.4"}, {"similarity", "0.5"}}),
              expected("simple"), kClose);
}

TEST(Uda, AnnealingAgreesWithPythonBeforeAndAfterAnImageIsLetIn) {
  for (const auto& [kind, before, after] : {std::tuple("log", 0.16, 0.2), {"exp", 0.88, 0.9}}) {
    const auto wanted = golden("methods.json")[std::string("uda_") + kind];
    const Options options{{"threshold", "0.5"}, {"annealing", kind}};
    EXPECT_NEAR(loss_of("uda", options, before), wanted[0].get<double>(), kClose) << kind;
    EXPECT_NEAR(loss_of("uda", options, after), wanted[1].get<double>(), kClose) << kind;
  }
}

TEST(Methods, MixturesAgreeWithPython) {
  EXPECT_EQ(generator_of(Batch()).current_seed(),
            7333834083859079999U);  // GENERATOR in make_methods.py
  EXPECT_NEAR(loss_of("mixmatch", {{"ramp_up", "0.5"}}, 0.25), expected("mixmatch"), kClose);
  EXPECT_NEAR(loss_of("mixmatch", {{"ramp_up", "0.5"}, {"forward", "interleave"}}, 0.25),
              expected("mixmatch"), kClose);
  for (const char* forward : {"joint", "interleave"}) {
    const Options options{
        {"strong", "2"}, {"rotation_weight", "0"}, {"ramp_up", "0.5"}, {"forward", forward}};
    EXPECT_NEAR(loss_of("remixmatch", options, 0.25, 2), expected("remixmatch"), kClose) << forward;
  }
}

TEST(Methods, DrawOtherMixturesInOtherStepsAndOfOtherSeeds) {
  Batch first, later, other;
  later.step = 1;
  other.seed = 1;
  EXPECT_NE(generator_of(first).current_seed(), generator_of(later).current_seed());
  EXPECT_NE(generator_of(first).current_seed(), generator_of(other).current_seed());
}

// Pictures of 2 x 2 pixels, which are also what the network says of them. Before the ramp begins
// nothing is learnt from unlabelled images but which way up they are.
TEST(ReMixMatch, RotationAgreesWithPythonAndIsNotRamped) {
  const Forward pixels([](const torch::Tensor& x) {
    const auto flat = x.flatten(1);
    return Output{flat, flat, {{"rotation", flat}}};
  });
  const auto loss = [&](const char* weight, const char* forward) {
    Options options{{"strong", "1"}, {"rotation_weight", weight}, {"forward", forward}};
    const auto method = make_method("remixmatch", options);
    Pool known;
    known.labels = torch::arange(4);
    known.classes = 4;
    method->meet(known);
    auto batch = batch_for(method->views(), 0);
    for (auto* part : {&batch.images, &batch.strong[0], &batch.weak[0], &batch.all})
      *part = part->slice(1, 0, 4).reshape({-1, 1, 2, 2});
    return method->step(pixels, pixels, batch).loss.item<double>();
  };
  for (const char* forward : {"joint", "interleave"})
    EXPECT_NEAR(loss("0.5", forward) - loss("0", forward), 0.5 * expected("remixmatch_rotation"),
                kClose)
        << forward;
}

TEST(Propagation, AgreesWithADenseSolution) {
  PropagationOptions options;
  options.neighbours = 5;
  options.alpha = 0.9;
  options.iterations = 500;
  const auto found = propagate(golden_logits(), torch::arange(4, torch::kLong), 4, options);
  const auto wanted = golden("methods.json");
  const auto labels = wanted["propagated_labels"].get<std::vector<int64_t>>();
  const auto weights = wanted["propagated_weights"].get<std::vector<double>>();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    EXPECT_EQ(found.labels[row].item<int64_t>(), labels[i]) << i;
    EXPECT_NEAR(found.weights[row].item<double>(), weights[i], 1e-4) << i;
  }
}

TEST(Propagation, ReachesAllOfTwoRingsFromOneLabelEach) {
  // Two circles in different planes: neighbours alone tell which one a point is on.
  const auto angle = torch::arange(200) * (2 * 3.14159265 / 200);
  const auto circle = torch::stack({angle.cos(), angle.sin()}, 1), none = torch::zeros({200, 2});
  auto features = torch::cat({torch::cat({circle, none}, 1), torch::cat({none, circle}, 1)});
  features = torch::cat({features.slice(0, 0, 1), features.slice(0, 200, 201), features});
  PropagationOptions options;
  options.neighbours = 4;
  options.iterations = 500;
  const auto found = propagate(features, torch::arange(2, torch::kLong), 2, options);
  const auto expected = torch::cat(
      {torch::arange(2), torch::zeros({200}, torch::kLong), torch::ones({200}, torch::kLong)});
  EXPECT_TRUE(found.labels.equal(expected));
}

// A network that has learnt is not to be trusted blindly for hundreds of steps.
TEST(Averages, MayBeginWithTheFirstBatch) {
  for (const char* name : {"freematch", "softmatch"}) {
    SCOPED_TRACE(name);
    const auto confidence = [&](const char* start) {
      Options options{{"averages", start}, {"momentum", "0.9"}};
      if (std::string(name) == "softmatch") options.set("align", "false");
      const auto method = make_method(name, options);
      method->meet(pool());
      const auto batch = batch_for(method->views(), 0);
      const auto first = method->step(kSame, kSame, batch).report;
      const auto second = method->step(kSame, kSame, batch).report;
      const char* key = std::string(name) == "freematch" ? "threshold" : "confidence";
      return std::pair(first.at(key), second.at(key));
    };
    const double mean = golden_logits().slice(0, 4, 14).softmax(1).amax(1).mean().item<double>();
    EXPECT_NEAR(confidence("first").first, mean, kClose);
    EXPECT_NEAR(confidence("first").second, mean, kClose);
    EXPECT_NEAR(confidence("even").first, 0.9 / 7 + 0.1 * mean, kClose);
  }
}

TEST(SoftMatch, OneImageAStepHasNoVarianceButALoss) {
  for (const char* start : {"even", "first"}) {
    Options options{{"averages", start}};
    const auto method = make_method("softmatch", options);
    method->meet(pool());
    auto batch = batch_for(method->views(), 0);
    for (auto* views : {&batch.weak, &batch.strong}) (*views)[0] = (*views)[0].slice(0, 0, 1);
    batch.index = batch.index.slice(0, 0, 1);
    batch.all = torch::cat({batch.images, batch.strong[0], batch.weak[0]});
    const auto step = method->step(kSame, kSame, batch);
    EXPECT_TRUE(std::isfinite(step.loss.item<double>())) << start;
    // As sure as the mean of itself: trusted.
    if (std::string(start) == "first") {
      EXPECT_NEAR(step.report.at("mask"), 1, 1e-3);
    }
  }
}

// What was measured before a run must not be part of it.
TEST(SoftMatch, ForgetsWhatItSawWhenItIsLoadedOrMeetsAPool) {
  Options options{{"momentum", "0.5"}};
  const auto method = make_method("softmatch", options);
  method->meet(pool());
  const auto fresh = method->save();
  const auto batch = batch_for(method->views(), 0);
  const auto loss = [&] { return method->step(kSame, kSame, batch).loss.item<double>(); };
  const auto first = loss();
  EXPECT_NE(loss(), first);
  method->load(fresh);
  EXPECT_EQ(loss(), first);
  method->meet(pool());
  EXPECT_EQ(loss(), first);
}

TEST(LabelPropagation, LearnsAloneThenAsksForASurveyAsOftenAsTold) {
  Options options{{"propagations", "2"}, {"neighbours", "3"}};
  const auto method = make_method("label_propagation", options);
  method->meet(pool());
  EXPECT_EQ(method->surveys(), (std::vector<double>{0.5, 0.75}));
  EXPECT_EQ(method->step(kSame, kSame, batch_for(method->views(), 0.4)).report.size(), 1U);
  method->see({said_of(0, 8), said_of(8, 20)});
  const auto step = method->step(kSame, kSame, batch_for(method->views(), 0.6));
  EXPECT_EQ(step.pseudo_labels.size(0), 10);
  EXPECT_GE(step.pseudo_labels.min().item<int64_t>(), 0);
  EXPECT_EQ(step.report.count("loss/propagated"), 1U);

  // Saved and loaded it has what the survey gave it.
  const auto again = make_method("label_propagation", options);
  again->meet(pool());
  again->load(method->save());
  EXPECT_TRUE(again->step(kSame, kSame, batch_for(method->views(), 0.6))
                  .pseudo_labels.equal(step.pseudo_labels));
}

// An image that is labelled counts once in the graph and in its class, also where the pool has it
// (run.unlabelled=all).
TEST(LabelPropagation, AgreesWithPythonWhateverThePoolHas) {
  for (const bool all : {false, true}) {
    Options options{
        {"neighbours", "5"}, {"alpha", "0.9"}, {"iterations", "500"}, {"supervised", "0"}};
    const auto method = make_method("label_propagation", options);
    auto images = pool();
    if (all)
      images.unlabelled.insert(images.unlabelled.begin(), images.labelled.begin(),
                               images.labelled.end());
    method->meet(images);
    method->see({said_of(0, 8), said_of(all ? 0 : 8, 20)});
    const auto step = method->step(kSame, kSame, batch_for(method->views(), 0));
    EXPECT_NEAR(step.loss.item<double>(), expected("label_propagation"), 1e-4) << all;
  }
}

TEST(FreeMatch, ThresholdsMayBeClipped) {
  // Five images each with these confidences, whose mean is the threshold where it is not clipped.
  const auto mask = [](double low, double high, const char* clip) {
    Options options{{"momentum", "0"}, {"clip", clip}};
    const auto method = make_method("freematch", options);
    method->meet(pool());
    auto batch = batch_for(method->views(), 0);
    batch.weak[0] = torch::zeros({10, 7}, torch::kDouble);
    for (int64_t i = 0; i < 10; ++i) {
      const double sure = i < 5 ? low : high;
      batch.weak[0][i][0] = std::log(6 * sure / (1 - sure));
    }
    return method->step(kSame, kSame, batch).report.at("mask");
  };
  EXPECT_EQ(mask(0.5, 0.89, "false"), 0.5);
  EXPECT_EQ(mask(0.5, 0.89, "true"), 0);
  EXPECT_EQ(mask(0.951, 0.99, "false"), 0.5);
  EXPECT_EQ(mask(0.951, 0.99, "true"), 1);
}

TEST(Generations, LearnFromATableThatSurveysAndTheTeacherMove) {
  Options options{{"generations", "2"}, {"supervised", "0"}, {"threshold", "0.4"}};
  const auto method = make_method("generations", options);
  method->meet(pool());
  EXPECT_EQ(method->surveys(), (std::vector<double>{0, 0.5}));
  for (const int64_t begin : {8, 20}) method->see({{}, said_of(begin, begin + 12)});
  const auto loss_at = [&](double progress) {
    const auto step = method->step(kSame, kSame, batch_for(method->views(), progress));
    return step.loss.item<double>();
  };
  EXPECT_NEAR(loss_at(0.6), expected("generations"), kClose);
  EXPECT_NEAR(loss_at(0.8), expected("generations_online"), kClose);
}

TEST(Phases, BeginAfterTheStart) {
  Options options{{"generations", "2"}, {"supervised", "0.2"}, {"l_ue", "1"}};
  const auto phases = make_method("generations", options)->phases();
  ASSERT_EQ(phases.size(), 2U);
  EXPECT_DOUBLE_EQ(phases[0], 0.2);
  EXPECT_DOUBLE_EQ(phases[1], 0.6);
  Options half, none;
  EXPECT_EQ(make_method("label_propagation", half)->phases(), std::vector<double>{0.5});
  EXPECT_TRUE(make_method("fixmatch", none)->phases().empty());
}

TEST(WarmStart, SeesLabelledImagesAloneAndThenCountsFromThere) {
  for (const char* name : {"fixmatch", "penumbra", "pi_model"}) {
    Options options{{"supervised", "0.2"}};
    if (std::string(name) == "penumbra") options.set("l_ue", "0");
    const auto method = make_method(name, options);
    method->meet(pool());
    // Looks at nothing but the labelled images.
    const Forward labelled_only([](const torch::Tensor& x) {
      EXPECT_EQ(x.size(0), 4);
      return Output{x, x, {}};
    });
    Batch batch = batch_for({2, 1}, 0.19);
    const auto step = method->step(labelled_only, labelled_only, batch);
    EXPECT_NEAR(step.loss.item<double>(), expected("supervised"), kClose) << name;
    EXPECT_FALSE(step.pseudo_labels.defined());
  }
  EXPECT_NEAR(loss_of("generations", {{"supervised", "0.2"}, {"smoothing", "0.1"}}, 0.1),
              expected("supervised_smooth"), kClose);
  // Half of a ramp over 0.4 of what is left is behind at 0.2 + 0.2 * 0.8.
  EXPECT_NEAR(loss_of("pi_model", {{"supervised", "0.2"}}, 0.36), expected("pi_model"), kClose);
}

TEST(LabelledViews, AreWhatEveryMethodIsAskedFor) {
  for (const auto& info : list_methods()) {
    const auto share = [&](const char* labelled) {
      Options options{{"labelled", labelled}};
      return make_method(info.name, options)->views().labelled_strong;
    };
    EXPECT_EQ(share("weak"), 0) << info.name;
    EXPECT_EQ(share("both"), 0.5) << info.name;
    EXPECT_EQ(share("strong"), 1) << info.name;
  }
}

TEST(Anchoring, TheTeacherDoesNotLabelInOneBatchWithTheStudent) {
  Options options{{"forward", "joint"}, {"labeller", "teacher"}};
  EXPECT_THAT(error_of([&] { make_method("fixmatch", options); }),
              testing::HasSubstr("method.labeller=student"));
}

TEST(Anchoring, TheTeacherMayBeTheOneWhoLabels) {
  const Forward undecided([](const torch::Tensor& x) {
    return Output{torch::zeros_like(x), x, {}};
  });
  for (const bool teacher : {false, true}) {
    Options options{{"threshold", "0.5"}, {"labeller", teacher ? "teacher" : "student"}};
    const auto method = make_method("fixmatch", options);
    const auto step = method->step(kSame, undecided, batch_for(method->views(), 0));
    EXPECT_EQ(step.report.at("mask") > 0, !teacher);
  }
}

}  // namespace
}  // namespace penumbra
