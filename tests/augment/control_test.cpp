#include "penumbra/augment/control.h"

#include <gtest/gtest.h>

#include <set>

namespace penumbra {
namespace {

constexpr Shape kOblong{40, 20, 3};

double value_at(Operation operation, float level) {
  return controlled_action(operation, {level, 0}, kOblong, 0, 0).value;
}

TEST(ControlledAction, HasTheRangesOfTheAuthorsTable) {
  struct TableRow {
    Operation operation;
    double low, middle, high;
  };
  const TableRow ranges[] = {
      {Operation::kAutocontrast, 0, 0.5, 1},  {Operation::kBlur, 0, 0.5, 1},
      {Operation::kBrightness, 0.1, 1.05, 2}, {Operation::kColour, 0.1, 1.05, 2},
      {Operation::kContrast, 0.1, 1.05, 2},   {Operation::kSharpness, 0.1, 1.05, 2},
      {Operation::kPosterize, 1, 4, 8},       {Operation::kSolarize, 0, 127, 255},
      {Operation::kRotate, -45, 0, 45},       {Operation::kShearX, -0.3, 0, 0.3},
      {Operation::kShearY, -0.3, 0, 0.3},     {Operation::kTranslateX, -6, 0, 6},
      {Operation::kTranslateY, -12, 0, 12},   {Operation::kRescale, 0, 0.125, 0.25},
      {Operation::kSmooth, 0, 0.5, 1},        {Operation::kInvert, 0, 0.5, 1},
      {Operation::kEqualize, 0, 0.5, 1},      {Operation::kCutout, 1, 5, 10}};
  for (const auto& [operation, low, middle, high] : ranges) {
    SCOPED_TRACE(name_of(operation));
    EXPECT_NEAR(value_at(operation, 0), low, 1e-5);
    EXPECT_NEAR(value_at(operation, 0.5F), middle, 1e-5);
    EXPECT_NEAR(value_at(operation, 1), high, 1e-5);
  }
}

TEST(ControlledAction, APlaceBelongsToTheCutoutAndAFilterToTheRescaling) {
  const auto cutout = controlled_action(Operation::kCutout, {1, 0}, kOblong, 0.5F, 0.25F);
  EXPECT_EQ(cutout.x, 10);
  EXPECT_EQ(cutout.y, 10);
  std::set<int> filters;
  for (int bin = 0; bin < 6; ++bin)
    filters.insert(controlled_action(Operation::kRescale,
                                     {0.5F, (static_cast<float>(bin) + 0.5F) / 6}, kOblong, 0, 0)
                       .choice);
  EXPECT_EQ(filters, (std::set<int>{0, 1, 2, 3, 4, 5}));
}

TEST(ControlledAction, EveryOperationOfTheListCanBeAppliedAtAnyLevel) {
  for (const auto& [operation, bins] : controlled_operations())
    for (const float level : {0.0F, 0.3F, 1.0F}) {
      Canvas canvas(kOblong);
      for (int i = 0; i < kOblong.size(); ++i) canvas.front()[i] = static_cast<uint8_t>(i % 251);
      const auto action = controlled_action(operation, {level, level}, kOblong, 0.9F, 0.9F);
      EXPECT_EQ(action.operation, operation);
      apply(canvas, action);
    }
}

TEST(Operation, EachHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (const auto& [operation, bins] : controlled_operations()) names.insert(name_of(operation));
  EXPECT_EQ(names.size(), controlled_operations().size());
  EXPECT_EQ(name_of(Operation::kTranslateY), "translate_y");
}

TEST(Operation, TheIdentityChangesNothing) {
  Canvas canvas(kOblong);
  for (int i = 0; i < kOblong.size(); ++i) canvas.front()[i] = static_cast<uint8_t>(i % 251);
  apply(canvas, {});
  for (int i = 0; i < kOblong.size(); ++i) ASSERT_EQ(canvas.front()[i], i % 251);
}

TEST(Rates, BeginAtOneForEveryBin) {
  const auto rates = initial_rates();
  ASSERT_EQ(rates.size(), controlled_operations().size());
  for (std::size_t i = 0; i < rates.size(); ++i)
    for (std::size_t parameter = 0; parameter < 2; ++parameter) {
      EXPECT_EQ(rates[i][parameter].size(),
                static_cast<std::size_t>(controlled_operations()[i].bins[parameter]));
      for (const float rate : rates[i][parameter]) EXPECT_EQ(rate, 1);
    }
}

TEST(CumulativeChances, OfEqualRatesAreEven) {
  const auto chances = cumulative_chances({0.5F, 0.5F, 0.5F, 0.5F}, 0.8, 0.99);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(chances[i], 0.25 * static_cast<double>(i + 1), 1e-6);
}

TEST(CumulativeChances, TheBestBinIsAlwaysDrawn) {
  // Rates of nothing at all: 1 - decay keeps them from being divided by zero.
  EXPECT_NEAR(cumulative_chances({0, 0}, 0.8, 0.99)[0], 0.5, 1e-6);
  const auto chances = cumulative_chances({0, 0.9F, 0}, 1, 0.99);
  EXPECT_EQ(chances[0], 0);
  EXPECT_EQ(chances[1], 1);
  EXPECT_EQ(chances[2], 1);
}

}  // namespace
}  // namespace penumbra
