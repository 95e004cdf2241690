#include "penumbra/model/infer.h"

#include "penumbra/model/weights.h"
#include "tests/expect_error.h"

namespace penumbra {
namespace {

Classifier tiny_with_head() {
  Options options;
  return Classifier(make_backbone("tiny", {3, 8, 8}, options, make_generator(1)), 4,
                    std::vector<HeadSpec>{{"variance", 2}}, make_generator(2));
}

torch::Tensor some_images(int64_t n) {
  return torch::empty({n, 3, 8, 8}).normal_(0, 1, make_generator(3));
}

TEST(Infer, OfNoImagesHasTheWidthOfEveryOutput) {
  auto classifier = tiny_with_head();
  const auto output = infer(classifier, some_images(0));
  EXPECT_EQ(output.logits.sizes(), torch::IntArrayRef({0, 4}));
  EXPECT_EQ(output.features.sizes(), torch::IntArrayRef({0, classifier.backbone().feature_size()}));
  EXPECT_EQ(output.heads.at("variance").sizes(), torch::IntArrayRef({0, 2}));
  EXPECT_TRUE(classifier.is_training());
}

TEST(Infer, AnImageAloneIsToldWhatItIsToldAmongOthers) {
  auto classifier = tiny_with_head();
  const auto images = some_images(7);
  const auto all = infer(classifier, images, /*batch_size=*/3);
  for (const int64_t i : {0, 3, 6}) {
    const auto one = infer(classifier, images.slice(0, i, i + 1));
    EXPECT_TRUE(one.logits[0].allclose(all.logits[i], 1e-5, 1e-6)) << i;
    EXPECT_TRUE(one.features[0].allclose(all.features[i], 1e-5, 1e-6)) << i;
  }
}

TEST(Infer, LeavesTheRunningStatisticsAlone) {
  auto classifier = tiny_with_head();
  std::vector<torch::Tensor> before;
  for (const auto& item : classifier.statistics()) before.push_back(item.tensor.clone());
  infer(classifier, 5 + some_images(9));
  const auto after = classifier.statistics();
  for (std::size_t i = 0; i < after.size(); ++i)
    EXPECT_TRUE(after[i].tensor.equal(before[i])) << after[i].name;
}

TEST(Infer, BringsTheModeBackWhereItFails) {
  auto classifier = tiny_with_head();
  EXPECT_THROW(infer(classifier, torch::zeros({2, 5, 8, 8})), c10::Error);  // five channels
  EXPECT_TRUE(classifier.is_training());
  EXPECT_THROW(infer(classifier, some_images(2), /*batch_size=*/0), c10::Error);
}

}  // namespace
}  // namespace penumbra
