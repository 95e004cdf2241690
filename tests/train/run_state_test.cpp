#include "penumbra/train/run_state.h"

#include <limits>

#include "tests/blobs_experiment.h"
#include "tests/expect_error.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

// Batches of four labelled images, in steps of a run of ten.
Experiment short_run(const std::vector<std::string>& settings = {}) {
  std::vector<std::string> all{"train.batch=4", "train.steps=10", "train.lr=0.1"};
  all.insert(all.end(), settings.begin(), settings.end());
  return blobs_experiment(all);
}

Loader batches_of(const Experiment& experiment, int64_t first_step = 0) {
  LoaderOptions options;
  options.batch_size = experiment.training.options.batch;
  options.seed = experiment.training.seed;
  options.first_step = first_step;
  return Loader(experiment.training.source, options);
}

void expect_same_weights(const Classifier& one, const Classifier& other) {
  const auto left = one.state(), right = other.state();
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i)
    EXPECT_TRUE(left[i].tensor.equal(right[i].tensor)) << left[i].name;
}

TEST(RunState, AStepReportsTheLearningRateTheLossAndTheGradient) {
  const auto experiment = short_run({"run.method=supervised", "train.warm_up=0"});
  RunState run(experiment.training);
  auto batches = batches_of(experiment);
  auto report = run.step(batches.next());
  EXPECT_DOUBLE_EQ(report.at("lr"), 0.1);
  EXPECT_GT(report.at("gradient"), 0);
  EXPECT_DOUBLE_EQ(report.at("loss"), report.at("loss/supervised"));
  EXPECT_EQ(report.count("pseudo_label_accuracy"), 0U);
  report = run.step(batches.next());
  EXPECT_DOUBLE_EQ(report.at("lr"), experiment.training.options.schedule.at(1));
}

TEST(RunState, AStepMovesTheStudentAndATenthOfThatTheTeacher) {
  const auto experiment = short_run({"run.method=supervised", "train.ema_decay=0.9",
                                     "train.ema_warm_up=false", "train.weight_decay=0"});
  const auto& student = *experiment.training.student;
  RunState run(experiment.training);
  const auto before = student.weights()[0].tensor.detach().clone();
  run.step(batches_of(experiment).next());
  const auto moved = student.weights()[0].tensor.detach() - before;
  EXPECT_GT(moved.abs().max().item<double>(), 0);
  const auto teacher = run.teacher().weights()[0].tensor;
  EXPECT_TRUE(teacher.allclose(before + 0.1 * moved, 1e-4, 1e-6));
}

TEST(RunState, CountsTheViewsThatANetworkSaw) {
  const auto experiment = short_run({"run.method=supervised"});
  RunState run(experiment.training);
  auto batches = batches_of(experiment);
  EXPECT_EQ(run.take_views(), 0);
  for (int i = 0; i < 3; ++i) run.step(batches.next());
  EXPECT_EQ(run.take_views(), 12);
  EXPECT_EQ(run.take_views(), 0);  // since the last time
}

TEST(RunState, PseudoLabelsAreComparedWithHiddenLabels) {
  auto experiment = short_run({"run.method=fixmatch", "method.supervised=0", "method.threshold=0"});
  RunState run(experiment.training);
  auto batches = batches_of(experiment);
  const auto report = run.step(batches.next());
  EXPECT_GE(report.at("pseudo_label_accuracy"), 0);
  EXPECT_LE(report.at("pseudo_label_accuracy"), 1);
  // Where nobody knows them, nothing is said.
  auto blind = short_run({"run.method=fixmatch", "method.supervised=0", "method.threshold=0"});
  auto& labels = blind.training.source.images.labels;
  for (const auto position : blind.split.unlabelled) labels[position] = kUnlabelled;
  RunState without(blind.training);
  EXPECT_EQ(without.step(batches_of(blind).next()).count("pseudo_label_accuracy"), 0U);
}

TEST(RunState, LoadedIntoFreshPartsItGoesOnAsTheSameRun) {
  const auto first = short_run({"run.method=fixmatch"}),
             second = short_run({"run.method=fixmatch"});
  RunState run(first.training), resumed(second.training);
  auto batches = batches_of(first);
  for (int i = 0; i < 3; ++i) run.step(batches.next());
  auto checkpoint = run.save(3);
  EXPECT_EQ(checkpoint.step, 3);
  resumed.load(checkpoint);
  auto rest = batches_of(second, 3);
  for (int i = 3; i < 6; ++i) {
    run.step(batches.next());
    resumed.step(rest.next());
  }
  expect_same_weights(*first.training.student, *second.training.student);
  expect_same_weights(run.teacher(), resumed.teacher());
}

TEST(RunState, ACheckpointHasAPartForEachPart) {
  const auto experiment = short_run({"run.method=fixmatch"});
  RunState run(experiment.training);
  run.step(batches_of(experiment).next());
  const auto checkpoint = run.save(1);
  const auto weights = experiment.training.student->weights().size();
  EXPECT_EQ(unprefixed(checkpoint.tensors, "student").size(),
            experiment.training.student->state().size());
  EXPECT_EQ(unprefixed(checkpoint.tensors, "teacher").size(),
            experiment.training.student->state().size());
  EXPECT_EQ(unprefixed(checkpoint.tensors, "optimiser").size(), weights);  // momentum of each
  for (const char* fact : {"policy", "phase", "surveyed", "steps", "origin", "behind"})
    EXPECT_TRUE(checkpoint.facts.contains(fact)) << fact;
}

// A budget of minutes counts its steps anew; whoever goes on from there knows where it was.
TEST(RunState, WithAnotherNumberOfStepsARunGoesOnFromWhereItWas) {
  const auto ten = short_run(), thirty = short_run({"train.steps=30"});
  RunState longer(thirty.training);
  longer.load(RunState(ten.training).save(4));
  EXPECT_DOUBLE_EQ(longer.progress(4), 0.4);
  EXPECT_DOUBLE_EQ(longer.progress(17), 0.7);
  EXPECT_DOUBLE_EQ(longer.progress(30), 1);
  RunState again(thirty.training);
  again.load(longer.save(17));
  EXPECT_EQ(again.progress(23), longer.progress(23));
}

TEST(RunState, ACheckpointOfAnotherNetworkIsRefused) {
  const auto small = short_run({"model.width=8"}), large = short_run({"model.width=16"});
  const auto checkpoint = RunState(small.training).save(0);
  RunState run(large.training);
  EXPECT_THAT(error_of([&] { run.load(checkpoint); }),
              HasSubstr("the weights have conv1.weight as"));
  auto without = checkpoint;
  without.tensors.erase(without.tensors.begin());
  RunState same(small.training);
  EXPECT_THAT(error_of([&] { same.load(without); }), HasSubstr("the weights lack conv1.weight"));
}

TEST(RunState, WhatIsNotFiniteSaysWhatToTry) {
  const auto experiment = short_run({"run.method=supervised", "train.lr=0.3"});
  RunState run(experiment.training);
  {
    const torch::NoGradGuard no_gradient;
    experiment.training.student->weights()[0].tensor.fill_(std::numeric_limits<float>::infinity());
  }
  EXPECT_THAT(
      error_of([&] { run.step(batches_of(experiment).next()); }),
      testing::AllOf(HasSubstr("is not a finite number at step 0: try a smaller learning "
                               "rate (--set train.lr=0.1), clipping (--set train.clip=5) or "
                               "--precision fp32"),
                     HasSubstr("the last checkpoint is kept")));
}

TEST(RunState, ASurveyLooksTwiceWhereThereAreMirrorImages) {
  const auto plain = short_run({"run.method=generations"});
  EXPECT_EQ(survey_looks(plain.training), 1);  // squares in their places are not mirrored
  const auto mirrored = short_run({"run.method=generations", "augment.mirror=true"});
  EXPECT_EQ(survey_looks(mirrored.training), 2);
  const auto other = short_run({"run.method=fixmatch", "augment.mirror=true"});
  EXPECT_EQ(survey_looks(other.training), 1);
}

TEST(RunState, ANewPhaseBeginsFromTheTeacher) {
  // With all of its decay the teacher stays where the run began, and so does the student then.
  const auto experiment =
      short_run({"run.method=generations", "method.generations=2", "method.supervised=0",
                 "train.ema_decay=1", "train.ema_warm_up=false", "train.lr=0"});
  const auto& student = *experiment.training.student;
  RunState run(experiment.training);
  auto batches = batches_of(experiment);
  run.step(batches.next(), /*progress=*/0);
  {
    const torch::NoGradGuard no_gradient;
    student.weights()[0].tensor.fill_(5);
  }
  run.step(batches.next(), /*progress=*/0.25);
  EXPECT_TRUE(student.weights()[0].tensor.eq(5).all().item<bool>());
  run.step(batches.next(), /*progress=*/0.5);
  EXPECT_TRUE(student.weights()[0].tensor.equal(run.teacher().weights()[0].tensor));
  EXPECT_EQ(run.survey_cost().surveys, 2);
}

}  // namespace
}  // namespace penumbra
