// Files that are cut off, damaged or made to do harm: each gives an Error that names the file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "penumbra/core/error.h"
#include "penumbra/model/safetensors.h"
#include "penumbra/model/weights.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

std::string with_size(uint64_t size, const std::string& rest) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &size, 8);
  return bytes + rest;
}

class HostileFile : public testing::Test {
 protected:
  // Opens the bytes and reads every tensor; the message of the Error, or "" if there was none.
  std::string message(const std::string& bytes) {
    const auto path = folder_ / "bad.safetensors";
    std::ofstream(path, std::ios::binary) << bytes;  // write_file would wait for the disk
    try {
      const SafetensorsFile file(path);
      for (const auto& entry : file.entries()) file.tensor(entry.name);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(path.string()));
      return error.what();
    }
    return "";
  }
  std::string header(const std::string& json, std::size_t data = 0) {
    return message(with_size(json.size(), json + std::string(data, '\1')));
  }
  // One tensor called x with the given fields and eight bytes of data.
  std::string entry(const std::string& fields) { return header("{\"x\":{" + fields + "}}", 8); }

  TestFolder folder_;
};

TEST_F(HostileFile, CutOffAnywhereIsAnError) {
  write_safetensors(folder_ / "good",
                    {{"a", torch::ones({2, 3})}, {"b", torch::ones({4}, torch::kByte)}},
                    {{"key", "value"}});
  const auto whole = read_file(folder_ / "good");
  EXPECT_EQ(message(whole), "");
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(message(whole.substr(0, length)), "") << length;
  EXPECT_THAT(message(whole + "x"), HasSubstr("1 bytes after the last tensor"));
}

TEST_F(HostileFile, AnyDamagedByteIsAnErrorOrReadsInBounds) {
  write_safetensors(folder_ / "good", {{"a", torch::ones({2, 3})}, {"b", torch::ones({4})}});
  const auto whole = read_file(folder_ / "good");
  int errors = 0;
  for (std::size_t place = 0; place < whole.size() - 40; ++place)
    for (const char value : {'\0', '9', '"', '{', ']', '\xff'}) {
      auto damaged = whole;
      damaged[place] = value;
      errors += !message(damaged).empty();
    }
  EXPECT_GT(errors, 100);
}

TEST_F(HostileFile, HeaderSizesThatCannotBe) {
  EXPECT_THAT(message(""), HasSubstr("0 bytes: too short"));
  EXPECT_THAT(message(with_size(3, "{}")), HasSubstr("only 2 follow"));
  EXPECT_THAT(message(with_size(~uint64_t{0}, "{}")), HasSubstr("at most 100000000"));
  EXPECT_THAT(message(with_size(~uint64_t{0} - 7, "{}")), HasSubstr("at most 100000000"));
  EXPECT_THAT(message(with_size(0, "")), HasSubstr("does not begin with '{'"));
  EXPECT_THAT(message("PK\3\4 a zip archive, as torch.save makes"),
              HasSubstr("not a safetensors file"));
}

TEST_F(HostileFile, HeadersThatAreNotOurJson) {
  for (const std::string json :
       {"{", "{}}", "{} x", "[]", "\"x\"", "null", "{\"x\"}", "{\"x\":}", "{\"x\":{},}",
        "{\"\xff\xfe\":{}}", "{\"x\":{\"dtype\":\"F32\"", " {}", "{\"x\":NaN}"})
    EXPECT_NE(header(json), "") << json;
  EXPECT_THAT(header("{\"x\":1}"), HasSubstr("'x' has the number 1"));
  EXPECT_THAT(header("{\"x\":null}"), HasSubstr("'x' has a null"));
  EXPECT_THAT(header("{\"x\":true}"), HasSubstr("true or false"));
  EXPECT_THAT(header("{\"x\":\"F32\"}"), HasSubstr("text where none belongs"));
  EXPECT_THAT(header("{\"x\":[1]}"), HasSubstr("list where none belongs"));
  EXPECT_THAT(header("{\"\":{}}"), HasSubstr("without a name"));
  EXPECT_THAT(header("{\"__metadata__\":{\"a\":1}}"), HasSubstr("'__metadata__'"));
  EXPECT_THAT(header("{\"__metadata__\":{\"a\":{}}}"), HasSubstr("'__metadata__'"));
  EXPECT_THAT(header("{\"__metadata__\":[]}"), HasSubstr("'__metadata__'"));
  EXPECT_THAT(header("{\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"}}"), HasSubstr("'a' twice"));
}

TEST_F(HostileFile, NestingAndListsWithoutEnd) {
  EXPECT_THAT(header("{\"x\":" + std::string(5'000'000, '[')), HasSubstr("list where none"));
  std::string objects;
  for (int i = 0; i < 200'000; ++i) objects += "{\"shape\":";
  EXPECT_THAT(header(objects), HasSubstr("object where none"));
  std::string list = "{\"x\":{\"dtype\":\"U8\",\"shape\":[1";
  for (int i = 0; i < 1'000'000; ++i) list += ",1";
  EXPECT_THAT(header(list + "],\"data_offsets\":[0,1]}}", 1), HasSubstr("more than 32 numbers"));
}

TEST_F(HostileFile, EntriesWithFieldsMissingTwiceOrUnknown) {
  const std::string type = "\"dtype\":\"U8\"", shape = "\"shape\":[8]",
                    place = "\"data_offsets\":[0,8]";
  EXPECT_EQ(entry(type + "," + shape + "," + place), "");
  EXPECT_THAT(entry(shape + "," + place), HasSubstr("no 'dtype'"));
  EXPECT_THAT(entry(type + "," + place), HasSubstr("no 'shape'"));
  EXPECT_THAT(entry(type + "," + shape), HasSubstr("no 'data_offsets'"));
  EXPECT_THAT(entry(type + "," + shape + "," + place + "," + shape), HasSubstr("'shape' twice"));
  EXPECT_THAT(entry(type + "," + shape + "," + place + ",\"z\":[1]"), HasSubstr("unknown field"));
  EXPECT_THAT(entry("\"dtype\":[1]," + shape + "," + place), HasSubstr("list where none"));
  EXPECT_THAT(entry(type + ",\"shape\":\"8\"," + place), HasSubstr("text where none"));
  EXPECT_THAT(entry(type + ",\"shape\":[\"8\"]," + place), HasSubstr("text where none"));
  EXPECT_THAT(entry(type + ",\"shape\":[[8]]," + place), HasSubstr("list where none"));
  EXPECT_THAT(header("{\"x\":{" + type + "," + shape + "," + place + "},\"x\":{" + type + "," +
                         shape + "," + place + "}}",
                     8),
              HasSubstr("'x' is there twice"));
}

TEST_F(HostileFile, ShapesTypesAndOffsetsThatDoNotFit) {
  const auto claims = [&](const std::string& type, const std::string& shape,
                          const std::string& place) {
    return entry("\"dtype\":\"" + type + "\",\"shape\":[" + shape + "],\"data_offsets\":[" + place +
                 "]");
  };
  EXPECT_EQ(claims("F32", "2", "0,8"), "");
  EXPECT_EQ(claims("F64", "", "0,8"), "");
  EXPECT_THAT(claims("F99", "2", "0,8"), HasSubstr("type 'F99'"));
  EXPECT_THAT(claims("F8_E4M3", "8", "0,8"), HasSubstr("cannot read"));
  EXPECT_THAT(claims("f32", "2", "0,8"), HasSubstr("type 'f32'"));
  EXPECT_THAT(claims("F64", "2", "0,8"), HasSubstr("shape [2] does not fit its 8 bytes"));
  EXPECT_THAT(claims("F32", "3", "0,8"), HasSubstr("does not fit"));
  EXPECT_THAT(claims("F32", "0", "0,8"), HasSubstr("does not fit"));
  EXPECT_THAT(claims("F32", "4", "0,16"), HasSubstr("cut off"));
  EXPECT_THAT(claims("F32", "2", "8,0"), HasSubstr("bytes 8 to 0"));
  EXPECT_THAT(claims("F32", "2", "0,18446744073709551615"), HasSubstr("cut off"));
  EXPECT_THAT(claims("F32", "-2", "0,8"), HasSubstr("number -2"));
  EXPECT_THAT(claims("F32", "2.0", "0,8"), HasSubstr("number 2.0"));
  EXPECT_THAT(claims("F32", "2e0", "0,8"), HasSubstr("number 2e0"));
  EXPECT_THAT(claims("F32", "2", "0,8,16"), HasSubstr("3 data_offsets"));
  EXPECT_THAT(claims("F32", "2", "8"), HasSubstr("1 data_offsets"));
  EXPECT_THAT(claims("F32", "99999999999999999999", "0,8"), HasSubstr("99999999999999999999"));
  EXPECT_THAT(claims("F32", "18446744073709551615", "0,8"), HasSubstr("dimension of"));
  // Products that wrap around to eight bytes, to none, or hide behind an empty dimension.
  EXPECT_THAT(claims("F32", "4611686018427387904,4,2", "0,8"), HasSubstr("does not fit"));
  EXPECT_THAT(claims("F64", "2305843009213693953", "0,8"), HasSubstr("does not fit"));
  EXPECT_THAT(claims("F32", "4294967296,4294967296,0", "0,0"), HasSubstr("does not fit"));
}

TEST_F(HostileFile, TensorsThatOverlapOrLeaveGaps) {
  const auto two = [&](const std::string& first, const std::string& second, std::size_t data) {
    const auto part = [](const std::string& name, const std::string& place) {
      return "\"" + name + "\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[" + place + "]}";
    };
    return header("{" + part("a", first) + "," + part("b", second) + "}", data);
  };
  EXPECT_EQ(two("4,8", "0,4", 8), "");
  EXPECT_THAT(two("0,4", "0,4", 4), HasSubstr("'b' begins at byte 0, expected 4; it overlaps"));
  EXPECT_THAT(two("0,4", "2,6", 6), HasSubstr("overlaps"));
  EXPECT_THAT(two("0,4", "5,9", 9), HasSubstr("gap"));
  EXPECT_THAT(two("1,5", "5,9", 9), HasSubstr("'a' begins at byte 1, expected 0"));
  EXPECT_THAT(two("0,4", "4,8", 9), HasSubstr("1 bytes after the last tensor"));
}

TEST_F(HostileFile, BoolsThatAreNeitherTrueNorFalseAreTrue) {
  const std::string json = R"({"x":{"dtype":"BOOL","shape":[3],"data_offsets":[0,3]}})";
  write_file(folder_ / "a", with_size(json.size(), json + std::string("\0\1\7", 3)));
  const auto flags = SafetensorsFile(folder_ / "a").tensor("x");
  EXPECT_TRUE(flags.equal(torch::tensor({false, true, true})));
}

TEST_F(HostileFile, ManyTensorsAreReadInReasonableTime) {
  std::string json = "{";
  for (int i = 0; i < 100'000; ++i)
    json += (i == 0 ? "\"t" : ",\"t") + std::to_string(i) +
            "\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[" + std::to_string(i) + "," +
            std::to_string(i + 1) + "]}";
  write_file(folder_ / "a", with_size(json.size() + 1, json + "}" + std::string(100'000, '\1')));
  EXPECT_EQ(SafetensorsFile(folder_ / "a").entries().size(), 100'000U);
}

TEST_F(HostileFile, NoFileOrAFolderIsAnError) {
  EXPECT_THROW(SafetensorsFile(folder_ / "missing"), Error);
  EXPECT_THROW(SafetensorsFile(folder_.path()), Error);
}

}  // namespace
}  // namespace penumbra
