#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "penumbra/evaluate/detection.h"
#include "penumbra/evaluate/intervals.h"
#include "penumbra/evaluate/selective.h"
#include "penumbra/train/experiment.h"
#include "penumbra/uncertainty/judge.h"

namespace penumbra {

// What a score says of test images, and of each set of strangers; higher is less to be trusted.
struct NamedScores {
  std::string name;  // an estimator's, and what is unusual about it
  std::vector<double> test;
  std::vector<std::vector<double>> strangers;
};

// What a model puts out for some pictures, and what is said of each.
struct Said {
  Output output;
  std::vector<Judgement> judgements;
};
// Roughly, where there is no judge.
Said say(const Output& output, const Judge* judge);

// What can be ranked by without fitting anything: `max_probability` and `entropy` as they are said,
// and with a judge the score of its verdicts, `epistemic`, its `certificates`, and `variance_head`
// where the model has one.
std::vector<NamedScores> ready_scores(const Said& test, const std::vector<Said>& strangers,
                                      const Judge* judge);

// The score of the verdicts, `epistemic`, is an estimator's, which may be there by its own name as
// well: that name, or none.
std::string twin_of_epistemic(const std::vector<NamedScores>& scores);

// How good one score is.
struct ScoreQuality {
  std::string score;
  // AUROC: do wrong predictions score above right ones? None where all are right, or none.
  std::optional<Interval> own_errors;
  SelectiveIntervals selective;                // what is gained by answering only where it is low
  std::vector<DetectionIntervals> detections;  // of each set of strangers
};

// Scores of right answers against those of wrong ones; none where there are not both.
std::optional<RankedScores> right_against_wrong(const std::vector<double>& scores,
                                                const std::vector<bool>& wrong);

// Which test images the model is wrong about.
std::vector<bool> mistakes_of(const Output& output, const torch::Tensor& labels);

std::vector<ScoreQuality> qualities_of(const std::vector<NamedScores>& scores,
                                       const std::vector<bool>& wrong, const Bootstrap& how);

// What every estimator, fitted to the run's training images, says of test images and of strangers,
// but for those whose name is in `ready`. `done(n, of)` is called between them.
std::vector<NamedScores> fitted_scores(Classifier& classifier, const Experiment& experiment,
                                       const Said& test, const std::vector<Said>& strangers,
                                       const std::vector<NamedScores>& ready,
                                       const std::function<void(int64_t, int64_t)>& done);

}  // namespace penumbra
