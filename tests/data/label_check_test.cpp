#include "penumbra/data/label_check.h"

#include "penumbra/data/images.h"
#include "tests/expect_error.h"

namespace penumbra {
namespace {

TEST(LabelCheck, WhatIsInRangeStaysAsItIs) {
  const auto labels = torch::tensor({1, 10, 5}, torch::kLong);
  Reading reading;
  check_labels(labels, 1, 10, "y.mat", reading);
  EXPECT_TRUE(labels.equal(torch::tensor({1, 10, 5}, torch::kLong)));
  EXPECT_TRUE(reading.problems.empty());
}

TEST(LabelCheck, TheFirstWrongLabelIsNamedWithItsRecordAndRange) {
  Reading reading;
  for (const int64_t wrong : {0, 11, -3, 1000})
    EXPECT_EQ(error_of([&] {
                check_labels(torch::tensor({int64_t{1}, int64_t{2}, wrong}, torch::kLong), 1, 10,
                             "y.mat", reading);
              }),
              "y.mat, record 2: label " + std::to_string(wrong) + ", expected 1 to 10");
}

TEST(LabelCheck, AnInspectionHidesWrongLabelsAndKeepsTheOthers) {
  const auto labels = torch::tensor({3, 12, 0, -1}, torch::kLong);
  Reading reading;
  reading.inspect = true;
  check_labels(labels, 0, 9, "a.bin", reading);
  EXPECT_TRUE(labels.equal(torch::tensor({3, -1, 0, -1}, torch::kLong)));
  ASSERT_EQ(reading.problems.size(), 2U);
  EXPECT_EQ(reading.problems[0].where, "record 1");
  EXPECT_EQ(reading.problems[1].where, "record 3");
}

TEST(LabelCheck, ItLooksAtItsOwnPartOfATensor) {
  const auto all = torch::tensor({99, 3, 99}, torch::kLong);
  Reading reading;
  check_labels(all.slice(0, 1, 2), 0, 9, "b.bin", reading);
  EXPECT_TRUE(all.equal(torch::tensor({99, 3, 99}, torch::kLong)));
}

TEST(LabelCheck, TenAreListedAndTheRestIsCounted) {
  for (const int64_t wrong : {10, 11, 40}) {
    Reading reading;
    reading.inspect = true;
    const auto labels = torch::full({wrong}, 77, torch::kLong);
    check_labels(labels, 0, 9, "a.bin", reading);
    EXPECT_TRUE(labels.eq(kUnlabelled).all().item<bool>());
    ASSERT_EQ(reading.problems.size(), wrong == 10 ? 10U : 11U);
    EXPECT_EQ(reading.problems[9].where, "record 9");
    if (wrong > 10) {
      EXPECT_EQ(to_string(reading.problems[10]),
                "a.bin: " + std::to_string(wrong - 10) + " more labels out of range");
    }
  }
}

TEST(LabelCheck, NoLabelsAreNoProblem) {
  Reading reading;
  check_labels(torch::empty({0}, torch::kLong), 0, 9, "a.bin", reading);
  EXPECT_TRUE(reading.problems.empty());
}

}  // namespace
}  // namespace penumbra
