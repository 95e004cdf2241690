#include "penumbra/method/interleave.h"

#include <gtest/gtest.h>

namespace penumbra {
namespace {

TEST(Interleaved, GivesEveryPieceALikeShareAndRowsBackInOrder) {
  std::vector<int64_t> sizes;
  std::vector<double> means;
  const Forward network([&](const torch::Tensor& x) {
    sizes.push_back(x.size(0));
    means.push_back(x.select(1, 0).mean().item<double>());
    return Output{x, 2 * x, {}};
  });
  // Four labelled rows (1) and eight unlabelled ones (0), in pieces of four.
  const auto rows = torch::cat({torch::ones({4, 1}), torch::zeros({8, 1})});
  const auto images = torch::cat({rows, torch::arange(12).unsqueeze(1).to(rows)}, 1);
  const auto said = interleaved(network, images, 4, 4);
  EXPECT_TRUE(said.logits.equal(images));
  EXPECT_TRUE(said.features.equal(2 * images));
  EXPECT_EQ(sizes, (std::vector<int64_t>{4, 4, 4}));
  for (const auto mean : means) EXPECT_NEAR(mean, 1.0 / 3, 0.2);
}

// As the paper's settings have them: 64 labelled images and 64 others in seven views; 16 and 16; a
// hundred classes with four views; two unlabelled images per labelled one.
TEST(Interleaved, NoPieceHasAnImageTwiceAndNoneIsMuchLargerThanAnother) {
  struct Shape {
    int64_t labelled, view, views;
  };
  for (const auto& [labelled, view, views] : {Shape{64, 64, 7}, Shape{16, 16, 7}, Shape{64, 64, 4},
                                              Shape{8, 16, 3}, Shape{6, 4, 5}, Shape{64, 8, 7}}) {
    std::vector<torch::Tensor> pieces;
    const Forward network([&](const torch::Tensor& x) {
      pieces.push_back(x.flatten());
      return Output{x, x, {}};
    });
    // An image's number, those of labelled ones below zero.
    const auto numbers = torch::cat(
        {-1 - torch::arange(labelled), torch::arange(view, torch::kLong).repeat({views})});
    const auto said = interleaved(network, numbers.unsqueeze(1), labelled, view);
    EXPECT_TRUE(said.logits.flatten().equal(numbers));
    for (const auto& piece : pieces) {
      EXPECT_EQ(std::get<0>(at::_unique(piece)).numel(), piece.numel());
      EXPECT_LE(piece.numel(), labelled + 2);
    }
  }
}

}  // namespace
}  // namespace penumbra
