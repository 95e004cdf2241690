#include "penumbra/augment/dialect.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "penumbra/core/error.h"

namespace penumbra {
namespace {

constexpr Shape kShape{32, 32, 3};

// The values drawn for each operation, applied or not counted as identity.
std::map<std::string, std::multiset<double>> draw_many(const Dialect& dialect, int n) {
  std::map<std::string, std::multiset<double>> drawn;
  Random random({3});
  for (int i = 0; i < n; ++i) {
    const auto action = draw_action(dialect, kShape, random);
    drawn[std::string(name_of(action.operation))].insert(action.value);
  }
  return drawn;
}

std::set<double> distinct(const std::multiset<double>& values) {
  return {values.begin(), values.end()};
}

class EveryDialect : public testing::TestWithParam<const char*> {};

TEST_P(EveryDialect, DrawsFourteenOperationsEquallyOftenAndAppliesTheTabledShare) {
  const auto dialect = make_dialect(GetParam());
  const int n = 140000;
  const auto drawn = draw_many(dialect, n);
  EXPECT_EQ(drawn.size(), 14u);
  for (const auto& [name, values] : drawn) {
    const double applied = dialect.probability * n / 14;
    const double expected = name == "identity" ? n - 13 * applied : applied;
    EXPECT_NEAR(static_cast<double>(values.size()), expected, 5 * std::sqrt(expected)) << name;
  }
}

TEST_P(EveryDialect, TheCutoutCoversTheTabledAreaInsideItsBounds) {
  const auto dialect = make_dialect(GetParam());
  Random random({4});
  double sides = 0;
  std::set<int> places;
  for (int i = 0; i < 20000; ++i) {
    const auto square = draw_cutout(dialect, kShape, random);
    EXPECT_EQ(square.x1 - square.x0, square.y1 - square.y0);
    EXPECT_LE(square.x1 - square.x0, 16);
    EXPECT_GE(square.x0, 0);
    EXPECT_LT(square.x0, 32);
    EXPECT_LE(square.x1, dialect.kind == Dialect::Kind::kSimple ? 32 : 47);
    sides += square.x1 - square.x0;
    places.insert(square.x0);
  }
  if (dialect.kind == Dialect::Kind::kUsb)
    EXPECT_NEAR(sides / 20000, 7.5, 0.15);  // whole part of a uniform below 16
  else
    EXPECT_EQ(sides / 20000, 16);
  EXPECT_EQ(places.size(), dialect.kind == Dialect::Kind::kSimple     ? 16u
                           : dialect.kind == Dialect::Kind::kFixMatch ? 24u
                                                                      : 32u);
}

INSTANTIATE_TEST_SUITE_P(Dialects, EveryDialect, testing::Values("fixmatch", "simple", "usb"),
                         [](const auto& test) { return std::string(test.param); });

TEST(FixMatchDialect, HasTheLevelsOfThePapersTable) {
  const auto drawn = draw_many(make_dialect("fixmatch"), 100000);
  EXPECT_EQ(distinct(drawn.at("posterize")), (std::set<double>{4, 5, 6, 7}));
  EXPECT_EQ(distinct(drawn.at("rotate")), (std::set<double>{-27, -24, -21, -18, -15, -12, -9, -6,
                                                            -3, 3, 6, 9, 12, 15, 18, 21, 24, 27}));
  EXPECT_EQ(distinct(drawn.at("solarize")),
            (std::set<double>{231, 205, 180, 154, 128, 103, 77, 52, 26}));
  EXPECT_EQ(distinct(drawn.at("translate_x")),
            (std::set<double>{-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8}));
  const auto factors = distinct(drawn.at("contrast"));
  EXPECT_EQ(factors.size(), 9u);
  EXPECT_NEAR(*factors.begin(), 0.14, 1e-9);
  EXPECT_NEAR(*factors.rbegin(), 0.86, 1e-9);
  const auto slopes = distinct(drawn.at("shear_y"));
  EXPECT_NEAR(*slopes.begin(), -0.27, 1e-9);
  EXPECT_NEAR(*slopes.rbegin(), 0.27, 1e-9);
  EXPECT_EQ(slopes.size(), 18u);
}

TEST(SimpleDialect, GoesElevenTenthsOfTheWayAndMovesThePictureNotTheGaze) {
  const auto drawn = draw_many(make_dialect("simple"), 100000);
  const auto angles = distinct(drawn.at("rotate"));
  EXPECT_EQ(angles.size(), 11u);
  EXPECT_NEAR(*angles.begin(), -24, 1e-9);
  EXPECT_NEAR(*angles.rbegin(), 36, 1e-9);
  EXPECT_NEAR(*drawn.at("shear_x").begin(), -0.36, 1e-9);
  EXPECT_NEAR(*drawn.at("shear_x").rbegin(), 0.24, 1e-9);
  EXPECT_NEAR(*drawn.at("translate_y").begin(), -0.36 * 32, 1e-9);
  EXPECT_NEAR(*drawn.at("colour").rbegin(), 1.04, 1e-9);
}

TEST(UsbDialect, FillsItsRangesEvenly) {
  const auto drawn = draw_many(make_dialect("usb"), 140000);
  const std::map<std::string, std::pair<double, double>> ranges{
      {"brightness", {0.05, 0.95}}, {"posterize", {4, 8}},  {"rotate", {-30, 30}},
      {"shear_x", {-0.3, 0.3}},     {"solarize", {0, 256}}, {"translate_x", {-9.6, 9.6}}};
  for (const auto& [name, range] : ranges) {
    const auto& values = drawn.at(name);
    const double width = range.second - range.first;
    EXPECT_GE(*values.begin(), range.first) << name;
    EXPECT_LE(*values.rbegin(), range.second) << name;
    double sum = 0;
    for (const double value : values) sum += value;
    EXPECT_NEAR(sum / static_cast<double>(values.size()), range.first + width / 2, width / 50);
    EXPECT_NEAR(*values.begin(), range.first, width / 100) << name;
    EXPECT_NEAR(*values.rbegin(), range.second, width / 100) << name;
  }
}

TEST(MakeDialect, NamesTheDialectsThatThereAre) {
  try {
    make_dialect("fixmach");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "no dialect 'fixmach': expected fixmatch, simple or usb");
  }
}

}  // namespace
}  // namespace penumbra
