#include "penumbra/augment/contact_sheet.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "penumbra/augment/loader.h"
#include "penumbra/core/error.h"
#include "penumbra/data/dataset.h"

namespace penumbra {
namespace {

class Sheet : public testing::Test {
 protected:
  Sheet() {
    Options blobs{{"count", "20"}, {"size", "12"}};
    Reading reading;
    images_ = make_dataset("blobs", blobs)->train(reading);
    Options options;
    policies_ = make_policies("randaugment", options, /*mirrors=*/true);
    sheet_.pictures = {3, 8};
    sheet_.weak = 1;
    sheet_.strong = 2;
    sheet_.cell = 30;  // twice the size of 12
    sheet_.seed = 5;
  }

  // The cell of column `i` in row `row`, one pixel of each 2x2.
  torch::Tensor cell(const torch::Tensor& page, int64_t row, int64_t i) const {
    const int64_t x = 16 + i * 28 + 12 * std::min<int64_t>(i, 2), y = 16 + row * 28;
    return page.slice(0, y, y + 24, 2).slice(1, x, x + 24, 2);
  }

  Images images_;
  Policies policies_;
  ContactSheet sheet_;
};

TEST_F(Sheet, ShowsTheOriginalAndThenWhatTheLoaderMakes) {
  const auto page = draw(sheet_, images_, policies_);
  EXPECT_EQ(page.sizes(), torch::IntArrayRef({16 + 28 + 24 + 16, 16 + 3 * 28 + 24 + 24 + 16, 3}));

  Source source{images_, {0}, {3, 8}, {1, 2, 2}, policies_, {{0, 0, 0}, {1, 1, 1}}};
  LoaderOptions options;
  options.batch_size = 1;
  options.seed = 5;
  Loader loader(source, options);
  const auto batch = loader.next();
  for (int64_t row = 0; row < 2; ++row) {
    const auto picture = sheet_.pictures[static_cast<std::size_t>(row)];
    EXPECT_TRUE(cell(page, row, 0).equal(images_.pixels[picture]));
    const int64_t k = batch.index[0].item<int64_t>() == picture ? 0 : 1;
    const auto levels = [&](const torch::Tensor& view) {
      return view[k].permute({1, 2, 0}).mul(255).round().to(torch::kByte);
    };
    EXPECT_TRUE(cell(page, row, 1).equal(levels(batch.weak[0])));
    EXPECT_TRUE(cell(page, row, 2).equal(levels(batch.strong[0])));
    EXPECT_TRUE(cell(page, row, 3).equal(levels(batch.strong[1])));
  }
}

TEST_F(Sheet, RefusesPicturesThatAreNotThere) {
  sheet_.pictures = {20};
  EXPECT_THROW(draw(sheet_, images_, policies_), Error);
  sheet_.pictures.clear();
  EXPECT_THROW(draw(sheet_, images_, policies_), Error);
}

TEST_F(Sheet, OfLargePicturesIsNotEnlarged) {
  sheet_.cell = 1;
  sheet_.weak = sheet_.strong = 0;
  sheet_.pictures = {5};
  const auto page = draw(sheet_, images_, policies_);
  ASSERT_EQ(page.sizes(), torch::IntArrayRef({16 + 12 + 16, 16 + 12 + 16, 3}));
  EXPECT_TRUE(page.slice(0, 16, 28).slice(1, 16, 28).equal(images_.pixels[5]));
  EXPECT_EQ(page.slice(0, 0, 16).min().item<int>(), 255);  // paper around it
}

TEST_F(Sheet, ANegativeNumberOfViewsIsAnError) {
  sheet_.weak = -1;
  EXPECT_THROW(draw(sheet_, images_, policies_), Error);
}

}  // namespace
}  // namespace penumbra
