#include "penumbra/report/page.h"

#include "penumbra/report/brief.h"
#include "penumbra/report/curves.h"
#include "penumbra/report/sprite_sheet.h"
#include "tests/expect_error.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

TEST(Page, TakesItsDataAndLetsNothingInItEndTheScript) {
  if (!has_report_page()) GTEST_SKIP() << "built without npm";
  const auto page = report_page({{"runs", Json::array()}, {"version", "</script><b>"}});
  EXPECT_EQ(page.find("PENUMBRA_DATA"), std::string::npos);
  EXPECT_EQ(page.find("</script><b>"), std::string::npos);
  EXPECT_NE(page.find("\\u003c/script>\\u003cb>"), std::string::npos);
}

TEST(Brief, HasFiveDigitsAndNoMoreText) {
  const auto text = [](double value) { return json_text(brief(value)); };
  EXPECT_EQ(text(0.12345678), "0.12346");
  EXPECT_EQ(text(-12.345678), "-12.346");
  EXPECT_EQ(text(0.9998), "0.9998");
  EXPECT_EQ(text(0.000012345678), "1.2346e-05");
  EXPECT_EQ(brief(1e-310), 0);
  EXPECT_TRUE(std::isnan(brief(std::nan(""))));
}

TEST(Curves, AreReadByNameAndCutLinesLeftOut) {
  const TestFolder folder;
  const auto file =
      folder.write("metrics.jsonl",
                   "{\"step\":1,\"loss\":2.5}\n{\"step\":2,\"loss\":1.5,\"mask\":0.5}\n"
                   "{\"step\":\"2\",\"loss\":9}\n{\"step\":[" +
                       std::string(200000, '[') + "\n{\"step\":3,\"lo");
  const auto curves = read_curves(file);
  ASSERT_EQ(curves.series.size(), 2U);
  EXPECT_EQ(curves.series[0]["name"], "loss");
  EXPECT_EQ(curves.series[0]["values"], Json::array({2.5, 1.5}));
  EXPECT_EQ(curves.series[1]["steps"], Json::array({2}));
  EXPECT_EQ(curves.last["step"], 2);
}

TEST(SpriteSheet, TakesPicturesOfAnySizeAndNumberOfChannels) {
  for (const int64_t channels : {1, 2, 3, 4}) {
    SpriteSheet sheet;
    for (int i = 0; i < 150; ++i) sheet.add(torch::full({300, 600, channels}, i, torch::kByte));
    const auto json = sheet.to_json();
    EXPECT_EQ(json["width"], 128);
    EXPECT_EQ(json["height"], 64);
    EXPECT_EQ(json["count"], 150);
  }
}

// Noise is what WebP can make least of.
TEST(SpriteSheet, OfFiveThousandPicturesOfNoiseFitsAPageOfFiveMegabytes) {
  SpriteSheet sheet;
  const auto noise = torch::randint(0, 256, {5000, 32, 32, 3}, torch::kByte);
  for (int64_t i = 0; i < noise.size(0); ++i) sheet.add(noise[i]);
  const auto json = sheet.to_json();
  EXPECT_EQ(json["count"], 5000);
  EXPECT_GE(json["width"].get<int64_t>(), 16);
  EXPECT_LT(json["sheet"].get<std::string>().size(), 4'000'000U);  // the rest is for numbers
}

TEST(SpriteSheet, PutsPicturesSideBySide) {
  SpriteSheet sheet;
  for (int64_t i = 0; i < 5; ++i)
    EXPECT_EQ(sheet.add(torch::full({4, 6, i % 2 == 0 ? 1 : 3}, 50 * i, torch::kByte)), i);
  const auto json = sheet.to_json();
  EXPECT_EQ(json["width"], 6);
  EXPECT_EQ(json["height"], 4);
  EXPECT_EQ(json["columns"], 3);
  EXPECT_EQ(json["count"], 5);
  EXPECT_EQ(json["sheet"].get<std::string>().rfind("data:image/webp;base64,UklGR", 0), 0U);  // RIFF
}

TEST(Curves, OfARunThatReportedNothingAreEmpty) {
  const TestFolder folder;
  for (const auto& curves :
       {read_curves(folder / "none.jsonl"), read_curves(folder.write("metrics.jsonl", ""))}) {
    EXPECT_EQ(curves.series, Json::array());
    EXPECT_EQ(curves.last, Json::object());
  }
}

TEST(Curves, OnlyNumbersAreDrawnAndTimeIsNoCurve) {
  const TestFolder folder;
  const auto curves = read_curves(folder.write(
      "metrics.jsonl",
      "[1]\n{\"loss\":9}\n{\"step\":5,\"seconds\":2,\"loss\":1,\"note\":\"x\",\"mask\":null}\n"));
  ASSERT_EQ(curves.series.size(), 1U);
  EXPECT_EQ(curves.series[0]["name"], "loss");
  EXPECT_EQ(curves.series[0]["values"], Json::array({1}));  // the line without a step is left out
  EXPECT_EQ(curves.last["seconds"], 2);
  EXPECT_FALSE(curves.last.contains("note"));
}

TEST(Page, KeepsEveryByteOfItsData) {
  if (!has_report_page()) GTEST_SKIP() << "built without npm";
  const auto page = report_page({{"runs", Json::array({{{"name", "caf\u00e9 \xff & 'x'"}}})}});
  EXPECT_NE(page.find("caf\u00e9 \uFFFD & 'x'"), std::string::npos);
}

}  // namespace
}  // namespace penumbra
