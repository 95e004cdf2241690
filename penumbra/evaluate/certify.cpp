#include "penumbra/evaluate/certify.h"

#include "penumbra/core/error.h"
#include "penumbra/evaluate/inference.h"

namespace penumbra {
namespace {

// Features of so many training images say what is familiar; more change little and cost minutes.
constexpr int64_t kMostFamiliar = 10000;

std::vector<int64_t> evenly(const std::vector<int64_t>& positions, int64_t most) {
  const auto n = static_cast<int64_t>(positions.size()), kept = std::min(n, most);
  std::vector<int64_t> chosen;
  for (int64_t i = 0; i < kept; ++i)
    chosen.push_back(positions[static_cast<std::size_t>(i * n / kept)]);
  return chosen;
}

}  // namespace

std::unique_ptr<Judge> fit_judge(Classifier& classifier, const Experiment& experiment) {
  const auto& split = experiment.split;
  const bool given = experiment.validation.size() > 0;
  const auto& train = experiment.training.source.images;
  const auto& judges = given ? experiment.validation : train;
  const auto held_out = given ? all_positions(judges) : split.validation;
  if (held_out.empty()) return nullptr;

  auto familiar = split.labelled;
  auto labels = train.labels.index_select(0, torch::tensor(familiar, torch::kLong));
  const auto room = std::max<int64_t>(0, kMostFamiliar - labels.size(0));
  const auto unlabelled = evenly(split.unlabelled, room);
  familiar.insert(familiar.end(), unlabelled.begin(), unlabelled.end());
  const auto unknown =
      torch::full({static_cast<int64_t>(unlabelled.size())}, kUnlabelled, torch::kLong);
  labels = torch::cat({labels, unknown});

  const auto& normalisation = experiment.model.normalisation;
  return std::make_unique<Judge>(
      experiment.judge, infer(classifier, train, familiar, normalisation), labels,
      infer(classifier, judges, held_out, normalisation),
      judges.labels.index_select(0, torch::tensor(held_out, torch::kLong)));
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
    fail("the model's uncertainty is damaged (", error.what(), ")");
  }
}

}  // namespace penumbra
