#include "penumbra/evaluate/certify.h"

#include "penumbra/core/error.h"
#include "penumbra/model/image_inference.h"

namespace penumbra {
namespace {

// Features of so many training images say what is familiar; more change little and cost minutes.
constexpr int64_t kMostFamiliar = 10000;

struct Parts {
  const Images& judges;  // held-out images are some of these
  std::vector<int64_t> held_out, labelled, unlabelled;
};

Parts parts_of(const Experiment& experiment) {
  const auto& split = experiment.split;
  const bool given = experiment.validation.size() > 0;
  const auto& judges = given ? experiment.validation : experiment.training.source.images;
  const auto labelled = evenly(split.labelled, kMostFamiliar);
  const auto room = kMostFamiliar - static_cast<int64_t>(labelled.size());
  return {judges, given ? all_positions(judges) : split.validation, labelled,
          evenly(unlabelled_alone(split), room)};
}

torch::Tensor labels_of(const Images& images, const std::vector<int64_t>& positions) {
  return images.labels.index_select(0, torch::tensor(positions, torch::kLong));
}

}  // namespace

int64_t images_to_certify(const Experiment& experiment) {
  const auto parts = parts_of(experiment);
  if (parts.held_out.empty() || !experiment.judge.fit) return 0;
  return static_cast<int64_t>(parts.held_out.size() + parts.labelled.size() +
                              parts.unlabelled.size());
}

Familiar look_at_familiar(Classifier& classifier, const Experiment& experiment) {
  const auto parts = parts_of(experiment);
  const auto& train = experiment.training.source.images;
  auto familiar = parts.labelled;
  familiar.insert(familiar.end(), parts.unlabelled.begin(), parts.unlabelled.end());
  const auto unknown =
      torch::full({static_cast<int64_t>(parts.unlabelled.size())}, kUnlabelled, torch::kLong);
  return {infer(classifier, train, familiar, experiment.model.normalisation),
          torch::cat({labels_of(train, parts.labelled), unknown})};
}

std::unique_ptr<Judge> fit_judge(Classifier& classifier, const Experiment& experiment) {
  const auto parts = parts_of(experiment);
  if (parts.held_out.empty()) return nullptr;
  const auto familiar = look_at_familiar(classifier, experiment);
  return std::make_unique<Judge>(
      experiment.judge, familiar.said, familiar.labels,
      infer(classifier, parts.judges, parts.held_out, experiment.model.normalisation),
      labels_of(parts.judges, parts.held_out));
}

void attach(const Judge& judge, ModelInfo& info) {
  info.uncertainty = judge.facts();
  info.uncertainty_tensors = judge.save();
}

std::unique_ptr<Judge> judge_of(const ModelInfo& info) {
  if (info.uncertainty.is_null()) return nullptr;
  try {
    return std::make_unique<Judge>(info.uncertainty, info.uncertainty_tensors);
  } catch (const Json::exception& error) {
    fail("the model's uncertainty is damaged, or of an earlier build that certify renews (",
         error.what(), ")");
  }
}

}  // namespace penumbra
