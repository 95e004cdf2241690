#pragma once
#include <memory>
#include <string>
#include <vector>

#include "penumbra/core/json.h"
#include "penumbra/uncertainty/estimator.h"

namespace penumbra {

enum class Verdict { kSure, kAmbiguous, kUnfamiliar };
std::string_view to_string(Verdict verdict);

// What is said of one picture.
struct Judgement {
  int64_t label = 0;                // position of the predicted class
  double probability = 0;           // of that class, calibrated
  double entropy = 0;               // 0 to 1
  double variance = 0;              // predicted, where the model has such a head
  double aleatoric = 0;             // 0 to 1: percentile of the predicted variance, or the entropy
  double epistemic = 0;             // score of the estimator
  double epistemic_percentile = 0;  // 0 to 1, among held-out images
  Verdict verdict = Verdict::kSure;
};

// Class, probability and entropy alone: all there is to say with a model that has no judge.
std::vector<Judgement> judge_roughly(const Output& output);

struct JudgeOptions {
  std::string estimator = "mahalanobis";      // of epistemic uncertainty
  std::string variance = "log";               // what the model's variance head means
  double ambiguous = 0.9, unfamiliar = 0.95;  // quantiles of held-out images
  double sure = 0.7;                          // least calibrated probability of a sure verdict
  bool fit = true;                            // at the end of a training
  std::vector<OptionInfo> of_estimator;       // every effective value

  JudgeOptions() = default;
  // Reads its own options, then those of the estimator.
  explicit JudgeOptions(Options& options);
};

// Everything that turns a model's output into judgements; kept in the model's file. Fitted once:
// the estimator and certificates in closed form to training images, temperature, percentiles and
// thresholds to held-out ones.
class Judge {
 public:
  Judge(const JudgeOptions& options, const Output& familiar, const torch::Tensor& familiar_labels,
        const Output& held_out, const torch::Tensor& held_out_labels);
  // As save() and facts() gave it. Throws Error where they do not fit together.
  Judge(const Json& facts, const std::vector<NamedTensor>& tensors);

  std::vector<Judgement> judge(const Output& output) const;
  // What its certificates say, [N]: not a part of a judgement, which would cost more with it.
  torch::Tensor certificate_scores(const Output& output) const;

  double temperature() const { return temperature_; }
  // The epistemic score below which this share of held-out images lies.
  double epistemic_quantile(double share) const {
    return epistemic_scores_.quantile(share).item<double>();
  }
  bool has_variance() const { return variance_ != nullptr; }
  bool has_certificates() const { return certificates_ != nullptr; }
  const JudgeOptions& options() const { return options_; }

  Json facts() const;
  std::vector<NamedTensor> save() const;

 private:
  void make_estimators(bool has_variance);

  JudgeOptions options_;
  std::unique_ptr<Estimator> epistemic_;
  std::unique_ptr<Estimator> certificates_;  // older files have none
  std::unique_ptr<Estimator> variance_;      // only where the model has a head
  double temperature_ = 1, ambiguous_entropy_ = 1;
  torch::Tensor epistemic_scores_, variance_scores_;  // of held-out images, ascending
};

}  // namespace penumbra
