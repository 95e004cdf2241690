#include "penumbra/model/image_inference.h"

#include "penumbra/model/weights.h"
#include "tests/expect_error.h"

namespace penumbra {
namespace {

class ImageInference : public testing::Test {
 protected:
  ImageInference() {
    Options none;
    HeadSpec variance;
    variance.name = "variance";
    classifier_ =
        std::make_shared<Classifier>(make_backbone("tiny", {3, 8, 8}, none, make_generator(1)), 4,
                                     std::vector<HeadSpec>{variance}, make_generator(2));
    images_.pixels = torch::randint(0, 256, {10, 8, 8, 3}, make_generator(3), torch::kByte);
    images_.labels = torch::zeros({10}, torch::kLong);
  }

  Images mirrored() const {
    auto images = images_;
    images.pixels = images_.pixels.flip({2}).contiguous();
    return images;
  }

  std::shared_ptr<Classifier> classifier_;
  Images images_;
  Normalisation normalisation_{{0.5F, 0.4F, 0.3F}, {0.2F, 0.3F, 0.4F}};
};

TEST_F(ImageInference, BatchesOfAnySizeGiveTheSameInTheOrderAsked) {
  const std::vector<int64_t> positions{7, 2, 2, 9, 0};
  const auto whole = infer(*classifier_, images_, positions, normalisation_);
  const auto parts = infer(*classifier_, images_, positions, normalisation_, 2);
  EXPECT_EQ(whole.logits.sizes(), torch::IntArrayRef({5, 4}));
  EXPECT_TRUE(parts.logits.allclose(whole.logits, 1e-5, 1e-6));
  EXPECT_TRUE(parts.heads.at("variance").allclose(whole.heads.at("variance"), 1e-5, 1e-6));
  EXPECT_TRUE(whole.logits[1].equal(whole.logits[2]));
  EXPECT_TRUE(classifier_->is_training());
}

TEST_F(ImageInference, OfNoPicturesHasNoRows) {
  EXPECT_EQ(infer(*classifier_, images_, {}, normalisation_).logits.sizes(),
            torch::IntArrayRef({0, 4}));
}

TEST_F(ImageInference, MirrorImagesCountAsMuchAsThePictures) {
  const auto positions = all_positions(images_);
  const auto here = infer(*classifier_, images_, positions, normalisation_);
  const auto there = infer(*classifier_, mirrored(), positions, normalisation_);
  ASSERT_FALSE(here.logits.allclose(there.logits, 1e-3, 1e-3));
  classifier_->set_mirrors(true);
  const auto both = infer(*classifier_, images_, positions, normalisation_, 4);
  EXPECT_TRUE(both.logits.exp().allclose((here.logits.softmax(1) + there.logits.softmax(1)) / 2,
                                         1e-4, 1e-6));
  EXPECT_TRUE(both.features.allclose(here.features, 1e-5, 1e-6));
}

TEST_F(ImageInference, AllPositionsCountFromNothing) {
  EXPECT_EQ(all_positions(images_), (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_TRUE(all_positions(Images()).empty());
}

TEST_F(ImageInference, OfNoMirrorImagesHasNoRows) {
  classifier_->set_mirrors(true);
  const auto none = infer(*classifier_, images_, {}, normalisation_);
  EXPECT_EQ(none.logits.sizes(), torch::IntArrayRef({0, 4}));
  EXPECT_EQ(none.heads.at("variance").size(0), 0);
}

TEST_F(ImageInference, APictureAndItsMirrorImageAreToldTheSame) {
  const auto positions = all_positions(images_);
  classifier_->set_mirrors(true);
  const auto here = infer(*classifier_, images_, positions, normalisation_);
  const auto there = infer(*classifier_, mirrored(), positions, normalisation_);
  EXPECT_TRUE(here.logits.allclose(there.logits, 1e-4, 1e-5));
  EXPECT_TRUE(here.logits.exp().sum(1).allclose(torch::ones({10}), 1e-5, 1e-6));
}

TEST_F(ImageInference, KeepsEvaluationModeAndGradientsAway) {
  classifier_->eval();
  EXPECT_FALSE(infer(*classifier_, images_, {1}, normalisation_).logits.requires_grad());
  EXPECT_FALSE(classifier_->is_training());
}

TEST_F(ImageInference, NormalisationForOtherPicturesIsAnError) {
  EXPECT_THAT(error_of([&] {
                infer(*classifier_, images_, {0}, {{0.5F}, {0.5F}});
              }),
              testing::HasSubstr("normalisation for 1 channels: expected 3"));
}

}  // namespace
}  // namespace penumbra
