#include "penumbra/report/seen_views.h"

#include <gtest/gtest.h>

#include "tests/blobs_experiment.h"

namespace penumbra {
namespace {

TEST(SeenViews, AQuarterOfThemIsLabelled) {
  const auto experiment = blobs_experiment();
  const auto seen = look_at_views(experiment, *experiment.training.student, 40);
  EXPECT_EQ(seen.labelled.labels.size(0), 10);
  EXPECT_EQ(seen.weak.labels.size(0), 30);
  EXPECT_EQ(seen.strong.labels.size(0), 30);
  for (const auto* group : {&seen.labelled, &seen.weak, &seen.strong}) {
    const auto n = group->labels.size(0);
    EXPECT_EQ(group->pictures.sizes(), torch::IntArrayRef({n, 8, 8, 3}));
    EXPECT_EQ(group->pictures.scalar_type(), torch::kByte);
    EXPECT_EQ(group->said.logits.sizes(), torch::IntArrayRef({n, 4}));
    EXPECT_EQ(group->said.features.size(0), n);
  }
}

TEST(SeenViews, ThereAreNoMoreThanImages) {
  const auto experiment = blobs_experiment();
  const auto seen = look_at_views(experiment, *experiment.training.student, 100000);
  EXPECT_EQ(seen.labelled.labels.size(0), static_cast<int64_t>(experiment.split.labelled.size()));
  EXPECT_EQ(seen.weak.labels.size(0), static_cast<int64_t>(experiment.split.unlabelled.size()));
}

TEST(SeenViews, WeakAndStrongViewsAreOfTheSameImages) {
  const auto experiment = blobs_experiment();
  const auto seen = look_at_views(experiment, *experiment.training.student, 40);
  EXPECT_TRUE(seen.weak.labels.equal(seen.strong.labels));
  EXPECT_FALSE(seen.weak.pictures.equal(seen.strong.pictures));
}

// Without augmentation the pictures are those of the data: normalisation is undone exactly.
TEST(SeenViews, PicturesAreTheViewsThemselves) {
  const auto experiment = blobs_experiment({"run.policy=none", "augment.weak=none"});
  const auto seen = look_at_views(experiment, *experiment.training.student, 40);
  const auto& pixels = experiment.training.source.images.pixels;
  for (int64_t i = 0; i < seen.weak.pictures.size(0); ++i) {
    bool found = false;
    for (const auto position : experiment.split.unlabelled)
      found = found || pixels[position].equal(seen.weak.pictures[i]);
    EXPECT_TRUE(found) << i;
  }
  EXPECT_TRUE(seen.weak.pictures.equal(seen.strong.pictures));
}

TEST(SeenViews, TheSameSeedShowsTheSameViews) {
  const auto one = blobs_experiment({"run.seed=3"}), same = blobs_experiment({"run.seed=3"}),
             other = blobs_experiment({"run.seed=4"});
  const auto pictures = [](const Experiment& experiment) {
    return look_at_views(experiment, *experiment.training.student, 20).strong.pictures;
  };
  EXPECT_TRUE(pictures(one).equal(pictures(same)));
  EXPECT_FALSE(pictures(one).equal(pictures(other)));
}

}  // namespace
}  // namespace penumbra
