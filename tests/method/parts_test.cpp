// The small things that methods share.

#include "penumbra/method/average_start.h"
#include "penumbra/method/method.h"
#include "penumbra/method/strong_views.h"
#include "tests/expect_error.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

TEST(EvenShares, BeginAtNothingAndNeverReachTheEnd) {
  EXPECT_EQ(even_shares(4), (std::vector<double>{0, 0.25, 0.5, 0.75}));
  EXPECT_EQ(even_shares(1), std::vector<double>{0});
  EXPECT_TRUE(even_shares(0).empty());
}

TEST(GeneratorOf, DrawsTheSameForOneSeedAndStep) {
  const auto drawn = [](uint64_t seed, int64_t step) {
    Batch batch;
    batch.seed = seed;
    batch.step = step;
    return torch::rand({4}, generator_of(batch));
  };
  EXPECT_TRUE(drawn(1, 2).equal(drawn(1, 2)));
  EXPECT_FALSE(drawn(1, 2).equal(drawn(1, 3)));
  EXPECT_FALSE(drawn(1, 2).equal(drawn(2, 2)));
}

TEST(Pool, HasOneRowMoreThanItsLastPosition) {
  Pool pool;
  EXPECT_EQ(pool.positions(), 0);
  pool.labelled = {3, 1};
  EXPECT_EQ(pool.positions(), 4);
  pool.unlabelled = {2, 9, 5};
  EXPECT_EQ(pool.positions(), 10);
}

TEST(LabelledViews, WeakOnesLieBehindTheStrongOnes) {
  const auto images = torch::arange(5, torch::kFloat);
  LabelledViews views;
  EXPECT_EQ(views.strong_share(), 0);
  EXPECT_TRUE(views.weak_of(images).equal(images));
  views.labelled = "both";  // of five, three are strong
  EXPECT_EQ(views.strong_share(), 0.5);
  EXPECT_TRUE(views.weak_of(images).equal(torch::tensor({3.0F, 4.0F})));
  views.labelled = "strong";
  EXPECT_EQ(views.weak_of(images).size(0), 0);
  Options wrong{{"labelled", "neither"}};
  EXPECT_THAT(error_of([&] { views.read(wrong); }), HasSubstr("expected weak, strong or both"));
}

TEST(AverageStart, TheFirstBatchMayReplaceWhatAverageBeganWith) {
  AverageStart start;
  EXPECT_EQ(start.keep(0.99, /*followed=*/false), 0.99);
  start.averages = "first";
  EXPECT_EQ(start.keep(0.99, /*followed=*/false), 0);
  EXPECT_EQ(start.keep(0.99, /*followed=*/true), 0.99);
}

// Two labelled images and three unlabelled ones with two strong views each, whose only pixel is
// their row; the network says that number.
class RowsOfABatch : public testing::Test {
 protected:
  RowsOfABatch() {
    batch_.all = torch::arange(8, torch::kFloat).reshape({8, 1, 1, 1});
    batch_.images = batch_.all.narrow(0, 0, 2);
    batch_.index = torch::arange(3, torch::kLong);
  }

  Output said(bool skip, const torch::Tensor& trust) {
    StrongViews views;
    views.skip_untrusted = skip;
    const Forward network([this](const torch::Tensor& images) {
      seen_ = images.flatten();
      const auto rows = images.flatten(1) + 1;
      return Output{rows, 2 * rows, {{"head", 3 * rows}}};
    });
    return views.forward(network, batch_, /*strong=*/2, trust);
  }

  Batch batch_;
  torch::Tensor seen_;
};

TEST_F(RowsOfABatch, AllStrongViewsAreComputedUnlessToldOtherwise) {
  const auto output = said(false, torch::tensor({1, 0, 1}, torch::kBool));
  EXPECT_TRUE(seen_.equal(torch::arange(8, torch::kFloat)));
  EXPECT_TRUE(output.logits.flatten().equal(torch::arange(1, 9, torch::kFloat)));
}

TEST_F(RowsOfABatch, UntrustedOnesAreSkippedInEveryViewAndAreZero) {
  const auto output = said(true, torch::tensor({1, 0, 1}, torch::kBool));
  EXPECT_TRUE(seen_.equal(torch::tensor({0.0F, 1.0F, 2.0F, 4.0F, 5.0F, 7.0F})));
  const auto expected = torch::tensor({1.0F, 2.0F, 3.0F, 0.0F, 5.0F, 6.0F, 0.0F, 8.0F});
  EXPECT_TRUE(output.logits.flatten().equal(expected));
  EXPECT_TRUE(output.features.flatten().equal(2 * expected));
  EXPECT_TRUE(output.heads.at("head").flatten().equal(3 * expected));
}

TEST_F(RowsOfABatch, ARehearsalSkipsNone) {
  batch_.rehearsal = true;
  said(true, torch::tensor({0, 0, 0}, torch::kBool));
  EXPECT_TRUE(seen_.equal(torch::arange(8, torch::kFloat)));
}

TEST_F(RowsOfABatch, TrustMayBeANumber) {
  said(true, torch::tensor({0.0F, 0.25F, 0.0F}));
  EXPECT_TRUE(seen_.equal(torch::tensor({0.0F, 1.0F, 3.0F, 6.0F})));
}

TEST(MakeMethod, AnUnknownNameListsThoseThatThereAre) {
  Options none;
  EXPECT_THAT(error_of([&] { make_method("fixmach", none); }),
              HasSubstr("no method 'fixmach'; there are: "));
}

TEST(MakeMethod, ASupervisedStartIsForMethodsThatGoOnWithMore) {
  Options start{{"supervised", "0.5"}};
  EXPECT_THAT(error_of([&] { make_method("supervised", start); }),
              HasSubstr("method 'supervised' does not know 'supervised'"));
  Options all{{"supervised", "1"}};
  EXPECT_THAT(error_of([&] { make_method("fixmatch", all); }),
              HasSubstr("option 'supervised' is '1': expected a number from 0 to 0.99"));
}

}  // namespace
}  // namespace penumbra
