#include "penumbra/data/split.h"

#include <algorithm>
#include <set>

#include "penumbra/data/images.h"
#include "tests/expect_error.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kNames{"cat", "dog", "emu"};

// `counts[c]` images of class c, then `unknown` without a label.
torch::Tensor labels_of(const std::vector<int64_t>& counts, int64_t unknown = 0) {
  std::vector<torch::Tensor> parts;
  for (std::size_t c = 0; c < counts.size(); ++c)
    parts.push_back(torch::full({counts[c]}, static_cast<int64_t>(c), torch::kLong));
  parts.push_back(torch::full({unknown}, kUnlabelled, torch::kLong));
  return torch::cat(parts);
}

std::vector<int64_t> per_class(const torch::Tensor& labels, const std::vector<int64_t>& positions) {
  std::vector<int64_t> counts(kNames.size(), 0);
  for (const auto i : positions) ++counts.at(static_cast<std::size_t>(labels[i].item<int64_t>()));
  return counts;
}

// Every image is in exactly one part.
void expect_partition(const Split& split, int64_t n) {
  std::set<int64_t> seen;
  std::size_t total = 0;
  for (const auto* part : {&split.labelled, &split.unlabelled, &split.validation, &split.test}) {
    EXPECT_TRUE(std::is_sorted(part->begin(), part->end()));
    seen.insert(part->begin(), part->end());
    total += part->size();
  }
  EXPECT_EQ(seen.size(), total);
  EXPECT_EQ(total, static_cast<std::size_t>(n));
}

TEST(Split, ATenthOfTheLabelledImagesOfABenchmarkIsValidation) {
  // Most images are of classes that are left out, or of a pool.
  const auto split = make_split(labels_of({100, 100, 100}, 5000), kNames, SplitRequest());
  EXPECT_EQ(split.validation.size(), 30U);
}

TEST(Split, ABenchmarkIsBalancedAndDisjoint) {
  const auto labels = labels_of({400, 300, 500});
  SplitRequest request;
  request.labels = 30;
  const auto split = make_split(labels, kNames, request);
  expect_partition(split, 1200);
  EXPECT_EQ(per_class(labels, split.labelled), (std::vector<int64_t>{10, 10, 10}));
  EXPECT_EQ(per_class(labels, split.validation), (std::vector<int64_t>{40, 40, 40}));  // a tenth
}

TEST(Split, ValidationIsAtMostFiveThousand) {
  const auto split = make_split(labels_of({30000, 30000, 30000}), kNames, {});
  EXPECT_EQ(split.validation.size(), 5000u);
}

TEST(Split, WhatDoesNotDivideGoesToSomeClasses) {
  const auto labels = labels_of({100, 100, 100});
  SplitRequest request;
  request.labels = 32;
  auto counts = per_class(labels, make_split(labels, kNames, request).labelled);
  std::sort(counts.begin(), counts.end());
  EXPECT_EQ(counts, (std::vector<int64_t>{10, 11, 11}));
}

TEST(Split, DependsOnTheSeedAlone) {
  const auto labels = labels_of({100, 100, 100});
  SplitRequest request;
  request.labels = 30;
  const auto first = make_split(labels, kNames, request);
  EXPECT_EQ(first.labelled, make_split(labels, kNames, request).labelled);
  request.seed = 1;
  EXPECT_NE(first.labelled, make_split(labels, kNames, request).labelled);
}

TEST(Split, UnlabelledMayIncludeTheLabelled) {
  SplitRequest request;
  request.labels = 30;
  request.labelled_too = true;
  const auto split = make_split(labels_of({100, 100, 100}), kNames, request);
  EXPECT_TRUE(std::includes(split.unlabelled.begin(), split.unlabelled.end(),
                            split.labelled.begin(), split.labelled.end()));
  EXPECT_EQ(split.unlabelled.size(), 270u);
}

TEST(Split, OwnPicturesAreStratified) {
  const auto labels = labels_of({100, 50, 200}, 70);
  SplitRequest request;
  request.own_pictures = request.hold_out_test = true;
  const auto split = make_split(labels, kNames, request);
  expect_partition(split, 420);
  EXPECT_EQ(per_class(labels, split.test), (std::vector<int64_t>{20, 10, 40}));
  EXPECT_EQ(per_class(labels, split.validation), (std::vector<int64_t>{16, 8, 32}));
  EXPECT_EQ(per_class(labels, split.labelled), (std::vector<int64_t>{64, 32, 128}));
  EXPECT_EQ(split.unlabelled.size(), 70u);
}

TEST(Split, LabelsOfOwnPicturesCountValidationToo) {
  const auto labels = labels_of({100, 100, 100});
  SplitRequest request;
  request.own_pictures = true;
  request.labels = 60;
  const auto split = make_split(labels, kNames, request);
  expect_partition(split, 300);
  EXPECT_EQ(per_class(labels, split.validation), (std::vector<int64_t>{4, 4, 4}));
  EXPECT_EQ(per_class(labels, split.labelled), (std::vector<int64_t>{16, 16, 16}));
  EXPECT_EQ(split.unlabelled.size(), 240u);
}

TEST(Split, TooFewLabelsGiveNoValidation) {
  SplitRequest request;
  request.own_pictures = true;
  const auto split = make_split(labels_of({100, 5, 100}, 10), kNames, request);
  EXPECT_TRUE(split.validation.empty());
  EXPECT_EQ(split.labelled.size(), 205u);
}

TEST(Split, WithoutUnlabelledPicturesTheLabelledServeAsBoth) {
  SplitRequest request;
  request.own_pictures = true;
  const auto split = make_split(labels_of({50, 50, 50}), kNames, request);
  EXPECT_EQ(split.unlabelled, split.labelled);
  EXPECT_FALSE(split.labelled.empty());
}

TEST(Split, ValidationMayNotTakeAClassAway) {
  SplitRequest own;
  own.own_pictures = true;
  own.validation = 24;  // eight of each, which is all that emu has
  EXPECT_THAT(error_of([&] {
                make_split(labels_of({40, 40, 8}), kNames, own);
              }),
              HasSubstr("without a labelled image to train with, once validation has taken its "
                        "share (run.validation): 'emu'"));
  SplitRequest benchmark;
  benchmark.validation = 24;
  EXPECT_THAT(error_of([&] {
                make_split(labels_of({40, 40, 8}), kNames, benchmark);
              }),
              HasSubstr("'emu'"));
  own.labels = 24;
  EXPECT_THAT(error_of([&] {
                make_split(labels_of({40, 40, 8}), kNames, own);
              }),
              HasSubstr("'cat' 'dog' 'emu'"));
}

TEST(Split, ListsEveryClassThatHasTooFew) {
  SplitRequest request;
  request.labels = 300;
  EXPECT_THAT(error_of([&] {
                make_split(labels_of({400, 50, 90}), kNames, request);
              }),
              HasSubstr("too few labelled images for 300 labels in all: 'dog' has 32 of 100, "
                        "'emu' has 72 of 100"));
  EXPECT_THAT(error_of([&] {
                make_split(labels_of({4, 0, 0}), kNames, {});
              }),
              HasSubstr("classes without a labelled image: 'dog' 'emu'"));
  request.labels = 2;
  EXPECT_THAT(error_of([&] {
                make_split(labels_of({40, 50, 90}), kNames, request);
              }),
              HasSubstr("labels is 2: expected at least one for each of 3 classes"));
  EXPECT_THAT(error_of([&] { make_split(labels_of({40}), {"cat"}, request); }),
              HasSubstr("there is one class: expected two or more"));
}

TEST(Split, EvenlyTakesEveryNthInOrder) {
  const std::vector<int64_t> positions{2, 3, 5, 7, 11, 13, 17, 19, 23, 29};
  EXPECT_EQ(evenly(positions, 5), (std::vector<int64_t>{2, 5, 11, 17, 23}));
  EXPECT_EQ(evenly(positions, 3), (std::vector<int64_t>{2, 7, 17}));  // 0, 10/3, 20/3
  EXPECT_EQ(evenly(positions, 10), positions);
  EXPECT_EQ(evenly(positions, 1000), positions);
  EXPECT_EQ(evenly(positions, 1), std::vector<int64_t>{2});
  EXPECT_TRUE(evenly(positions, 0).empty());
  EXPECT_TRUE(evenly({}, 5).empty());
}

TEST(Split, ValidationMayBeAskedForOrForgone) {
  const auto labels = labels_of({100, 100, 100});
  for (const bool own : {false, true}) {
    SplitRequest request;
    request.own_pictures = own;
    request.validation = 0;
    EXPECT_TRUE(make_split(labels, kNames, request).validation.empty());
    request.validation = 31;
    const auto split = make_split(labels, kNames, request);
    auto counts = per_class(labels, split.validation);
    std::sort(counts.begin(), counts.end());
    EXPECT_EQ(counts, (std::vector<int64_t>{10, 10, 11})) << own;
  }
}

TEST(Split, MoreValidationThanThereIsListsWhatIsLacking) {
  SplitRequest request;
  request.validation = 90;
  EXPECT_THAT(error_of([&] {
                make_split(labels_of({100, 20, 100}), kNames, request);
              }),
              HasSubstr("too few labelled images for 90 validation images: 'dog' has 20 of 30"));
  request.own_pictures = true;
  EXPECT_THAT(error_of([&] {
                make_split(labels_of({100, 20, 100}), kNames, request);
              }),
              HasSubstr("too few labelled images for validation: 'dog' has 20 of 30"));
  request.labels = 90;
  request.validation = -1;
  EXPECT_THAT(error_of([&] {
                make_split(labels_of({100, 20, 100}), kNames, request);
              }),
              HasSubstr("too few labelled images for 90 labels in all: 'dog' has 20 of 30"));
}

TEST(Split, NoClassAtAllIsAnError) {
  EXPECT_THAT(error_of([] { make_split(labels_of({}, 5), {}, {}); }),
              HasSubstr("there are no classes: expected two or more"));
}

TEST(Split, HiddenLabelsOfOwnPicturesAreUnlabelled) {
  const auto labels = labels_of({30, 30, 30}, 10);
  SplitRequest request;
  request.own_pictures = request.hold_out_test = true;
  request.labels = 9;
  const auto split = make_split(labels, kNames, request);
  expect_partition(split, 100);
  EXPECT_EQ(per_class(labels, split.test), (std::vector<int64_t>{6, 6, 6}));
  EXPECT_EQ(per_class(labels, split.labelled), (std::vector<int64_t>{3, 3, 3}));
  EXPECT_TRUE(split.validation.empty());  // a fifth of three gives no class two
  EXPECT_EQ(split.unlabelled.size(), 100U - 18U - 9U);
}

TEST(Split, TheSameImagesAreTestedWhateverNumberOfLabelsIsAsked) {
  const auto labels = labels_of({50, 50, 50});
  SplitRequest request;
  request.own_pictures = request.hold_out_test = true;
  const auto all = make_split(labels, kNames, request);
  request.labels = 30;
  EXPECT_EQ(make_split(labels, kNames, request).test, all.test);
}

}  // namespace
}  // namespace penumbra
