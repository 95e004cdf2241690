#include "penumbra/model/safetensors_header.h"

#include "tests/expect_error.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

std::string header_error(const std::string& json) {
  return error_of([&] { parse_safetensors_header(json, "m.safetensors"); });
}

TEST(SafetensorsHeader, GivesEntriesAsTheyStandAndMetadata) {
  const auto header = parse_safetensors_header(
      R"({"b": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},)"
      R"( "__metadata__": {"format": "pt", "empty": ""},)"
      R"( "a": {"shape": [], "data_offsets": [24, 32], "dtype": "I64"}}  )",
      "m.safetensors");
  ASSERT_EQ(header.entries.size(), 2U);
  EXPECT_EQ(header.entries[0].name, "b");
  EXPECT_EQ(header.entries[0].type, "F32");
  EXPECT_EQ(header.entries[0].shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(header.entries[0].end, 24U);
  EXPECT_EQ(header.entries[1].name, "a");
  EXPECT_TRUE(header.entries[1].shape.empty());
  EXPECT_EQ(header.entries[1].begin, 24U);
  EXPECT_EQ(header.metadata.at("format"), "pt");
  EXPECT_EQ(header.metadata.at("empty"), "");
}

TEST(SafetensorsHeader, MayBeEmpty) {
  EXPECT_TRUE(parse_safetensors_header("{}", "f").entries.empty());
  EXPECT_TRUE(parse_safetensors_header(R"({"__metadata__": {}})", "f").metadata.empty());
}

TEST(SafetensorsHeader, NamesTheFileAndTheTensor) {
  EXPECT_EQ(header_error("not JSON"),
            "m.safetensors: the header does not begin with '{'; this is not a safetensors file");
  EXPECT_EQ(header_error("{\"x\": 1}"), "m.safetensors: 'x' has the number 1 where none belongs");
  EXPECT_THAT(header_error("{\"x\": {\"dtype\": }}"),
              HasSubstr("m.safetensors: the header is not valid JSON at its byte "));
  EXPECT_EQ(header_error("{\"\": {}}"), "m.safetensors: the header has a tensor without a name");
}

TEST(SafetensorsHeader, ShapesMayHaveThirtyTwoDimensionsAndNoMore) {
  const auto with = [](int dimensions) {
    std::string shape = "1";
    for (int i = 1; i < dimensions; ++i) shape += ",1";
    return "{\"x\": {\"dtype\": \"U8\", \"shape\": [" + shape + "], \"data_offsets\": [0, 1]}}";
  };
  EXPECT_EQ(parse_safetensors_header(with(32), "f").entries[0].shape.size(), 32U);
  EXPECT_EQ(header_error(with(33)), "m.safetensors: 'x' has more than 32 numbers in 'shape'");
}

TEST(SafetensorsHeader, TheLargestNumbersAreReadExactly) {
  const auto header =
      parse_safetensors_header(R"({"x": {"dtype": "U8", "shape": [9223372036854775807],)"
                               R"( "data_offsets": [0, 18446744073709551615]}})",
                               "f");
  EXPECT_EQ(header.entries[0].shape[0], INT64_MAX);
  EXPECT_EQ(header.entries[0].end, UINT64_MAX);
}

}  // namespace
}  // namespace penumbra
