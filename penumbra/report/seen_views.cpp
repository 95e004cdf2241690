#include "penumbra/report/seen_views.h"

#include "penumbra/augment/loader.h"
#include "penumbra/model/infer.h"

namespace penumbra {
namespace {

// What normalisation did, undone: [N, C, H, W] float to [N, H, W, C] uint8.
torch::Tensor to_pictures(const torch::Tensor& views, const Normalisation& normalisation) {
  const auto channels = [&](const std::vector<float>& values) {
    return torch::tensor(values).reshape({1, -1, 1, 1});
  };
  const auto levels = (views * channels(normalisation.std) + channels(normalisation.mean)) * 255;
  return levels.round().clamp(0, 255).to(torch::kByte).permute({0, 2, 3, 1}).contiguous();
}

SeenGroup group_of(Classifier& classifier, const torch::Tensor& views, const torch::Tensor& labels,
                   const Normalisation& normalisation) {
  return {infer(classifier, views), labels, to_pictures(views, normalisation)};
}

}  // namespace

SeenViews look_at_views(const Experiment& experiment, Classifier& classifier, int64_t count) {
  auto source = experiment.training.source;
  source.unlabelled = unlabelled_alone(experiment.split);
  const bool all_labelled = source.unlabelled.empty();
  if (all_labelled) source.unlabelled = source.labelled;
  const auto labelled = std::min<int64_t>(std::max<int64_t>(1, count / 4),
                                          static_cast<int64_t>(source.labelled.size()));
  const auto unlabelled =
      std::min<int64_t>(count - labelled, static_cast<int64_t>(source.unlabelled.size()));
  source.views = {/*weak=*/1, /*strong=*/1,
                  static_cast<double>(unlabelled) / static_cast<double>(labelled),
                  /*labelled_strong=*/0};
  LoaderOptions options;
  options.batch_size = labelled;
  options.seed = experiment.training.seed;
  const auto batch = Loader(source, options).next();
  const auto hidden = source.images.labels.index_select(0, batch.index);
  const auto& normalisation = source.normalisation;
  return {group_of(classifier, batch.images, batch.labels, normalisation),
          group_of(classifier, batch.weak[0], hidden, normalisation),
          group_of(classifier, batch.strong[0], hidden, normalisation),
          all_labelled ? "labelled" : "unlabelled"};
}

}  // namespace penumbra
