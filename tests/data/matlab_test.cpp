#include "penumbra/data/matlab.h"

#include <zlib.h>

#include <fstream>

#include "penumbra/core/json.h"
#include "penumbra/data/dataset.h"
#include "penumbra/data/statistics.h"
#include "tests/expect_error.h"
#include "tests/test_data.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

// Files by scipy's writer (fuzz/make_corpus.py), and one that broke another reader.
std::filesystem::path corpus(const std::string& name) {
  return std::filesystem::path(PENUMBRA_SOURCE_DIR "/fuzz/corpus/matlab") / name;
}

std::string words(const std::vector<uint32_t>& values) {
  return {reinterpret_cast<const char*>(values.data()), 4 * values.size()};
}

std::string element(uint32_t type, const std::string& data) {
  return words({type, static_cast<uint32_t>(data.size())}) + data +
         std::string((8 - data.size() % 8) % 8, '\0');
}

// A variable with its data in the given element type; class 6 is double, 9 uint8.
std::string variable(const std::string& name, uint32_t number_class,
                     const std::vector<uint32_t>& sizes, uint32_t type, const std::string& data) {
  return element(14, element(6, words({number_class, 0})) + element(5, words(sizes)) +
                         element(1, name) + element(type, data));
}

std::string compressed(const std::string& variable) {
  auto size = compressBound(variable.size());
  std::string data(size, '\0');
  compress(reinterpret_cast<Bytef*>(data.data()), &size,
           reinterpret_cast<const Bytef*>(variable.data()), variable.size());
  data.resize(size);
  return words({15, static_cast<uint32_t>(size)}) + data;
}

std::string header() { return "MATLAB 5.0" + std::string(114, ' ') + std::string("\0\1IM", 4); }

// X of the given sizes, counting upwards, and y = 1 .. n as MATLAB keeps small doubles: in bytes.
std::string matlab_file(const std::vector<uint32_t>& sizes, std::size_t labels, bool zip = false,
                        const std::string& x_name = "X", const std::string& y_name = "y") {
  std::string x, y;
  std::size_t total = 1;
  for (const auto size : sizes) total *= size;
  for (std::size_t i = 0; i < total; ++i) x += static_cast<char>(i % 251);
  for (std::size_t i = 0; i < labels; ++i) y += static_cast<char>(i + 1);
  const auto pictures = variable(x_name, 9, sizes, 2, x);
  const auto numbers = variable(y_name, 6, {static_cast<uint32_t>(labels), 1}, 2, y);
  return header() + (zip ? compressed(pictures) + compressed(numbers) : pictures + numbers);
}

std::string error_reading(const std::filesystem::path& path) {
  Reading reading;
  return error_of([&] { read_matlab_images(path, 1, 10, reading); });
}

TEST(Matlab, TheFirstIndexRunsFastest) {
  const TestFolder folder;
  Reading reading;
  for (const bool zip : {false, true}) {
    const auto images = read_matlab_images(folder.write("a.mat", matlab_file({4, 5, 3, 2}, 2, zip)),
                                           1, 10, reading);
    ASSERT_EQ(images.pixels.sizes(), torch::IntArrayRef({2, 4, 5, 3}));
    const auto at = images.pixels.accessor<uint8_t, 4>();
    for (int n = 0; n < 2; ++n)
      for (int h = 0; h < 4; ++h)
        for (int w = 0; w < 5; ++w)
          for (int c = 0; c < 3; ++c)
            ASSERT_EQ(at[n][h][w][c], (h + 4 * (w + 5 * (c + 3 * n))) % 251);
    EXPECT_TRUE(images.labels.equal(torch::tensor({1, 2}, torch::kLong)));
  }
}

TEST(Matlab, ReadsWhatAnotherWriterWrote) {
  // numpy's arange(96).reshape(4, 4, 3, 2) has its last index fastest; then pixels[n, h, w, c].
  const auto pixels =
      torch::arange(96, torch::kByte).reshape({4, 4, 3, 2}).permute({3, 0, 1, 2}).contiguous();
  Reading reading;
  for (const char* name : {"plain_uint8", "plain_float64", "zipped_uint8", "zipped_float64"}) {
    const auto images = read_matlab_images(corpus(name), 1, 10, reading);
    EXPECT_TRUE(images.pixels.equal(pixels)) << name;
    EXPECT_TRUE(images.labels.equal(torch::tensor({1, 10}, torch::kLong))) << name;
  }
}

TEST(Matlab, LabelsMayBeNumbersOfAnyType) {
  const TestFolder folder;
  Reading reading;
  const auto numbers = [](auto... values) {
    std::string bytes;
    (bytes.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
    return bytes;
  };
  const std::pair<uint32_t, std::string> stored[] = {{1, numbers(int8_t{3}, int8_t{40})},
                                                     {2, numbers(uint8_t{3}, uint8_t{40})},
                                                     {3, numbers(int16_t{3}, int16_t{40})},
                                                     {4, numbers(uint16_t{3}, uint16_t{40})},
                                                     {5, numbers(int32_t{3}, int32_t{40})},
                                                     {6, numbers(uint32_t{3}, uint32_t{40})},
                                                     {7, numbers(3.0f, 40.0f)},
                                                     {9, numbers(3.0, 40.0)},
                                                     {12, numbers(int64_t{3}, int64_t{40})}};
  const auto x = variable("X", 9, {1, 1, 1, 2}, 2, "ab");
  for (const auto& [type, data] : stored) {
    const auto path = folder.write("a.mat", header() + x + variable("y", 6, {1, 2}, type, data));
    EXPECT_TRUE(read_matlab_images(path, 1, 40, reading).labels.equal(torch::tensor({3, 40})))
        << type;
  }
  const auto high = variable("y", 6, {1, 2}, 4, numbers(uint16_t{3}, uint16_t{65535}));
  EXPECT_THAT(error_reading(folder.write("a.mat", header() + x + high)), HasSubstr("label 65535"));
  const auto half = variable("y", 6, {1, 2}, 9, numbers(3.0, 4.5));
  EXPECT_THAT(error_reading(folder.write("a.mat", header() + x + half)),
              HasSubstr("variable y: is 1 x 2, expected 2 whole numbers"));
  const auto unknown = variable("y", 6, {1, 2}, 13, std::string(16, '\1'));
  EXPECT_THAT(error_reading(folder.write("a.mat", header() + x + unknown)),
              HasSubstr("variable y holds numbers of the unknown type 13"));
}

TEST(Matlab, OtherVariablesAreLeftAlone) {
  const TestFolder folder;
  Reading reading;
  const auto text = variable("note", 4, {1, 2}, 4, std::string("h\0i\0", 4));
  const auto empty = variable("nothing", 6, {0, 0}, 9, "");
  const auto more = element(7, "no variable at all......");
  const auto images = read_matlab_images(
      folder.write("a.mat", header() + text + compressed(text) + empty + more +
                                matlab_file({2, 2, 3, 1}, 1).substr(header().size())),
      1, 10, reading);
  EXPECT_EQ(images.size(), 1);
}

TEST(Matlab, OnePictureHasNoFourthDimension) {
  const TestFolder folder;
  Reading reading;
  const auto images =
      read_matlab_images(folder.write("a.mat", matlab_file({4, 5, 3}, 1, true)), 1, 10, reading);
  EXPECT_EQ(images.pixels.sizes(), torch::IntArrayRef({1, 4, 5, 3}));
}

TEST(Matlab, SaysWhichVariableIsMissingOrOfAnotherShape) {
  const TestFolder folder;
  const auto error = [&](const std::string& bytes) {
    return error_reading(folder.write("a.mat", bytes));
  };
  EXPECT_THAT(error(matlab_file({4, 5, 3, 2}, 2, false, "Z")),
              HasSubstr("a.mat, variable X: not there"));
  EXPECT_THAT(error(matlab_file({4, 5, 3, 2}, 2, false, "X", "z")),
              HasSubstr("a.mat, variable y: not there"));
  EXPECT_THAT(error(matlab_file({4, 5, 7, 2}, 2)),
              HasSubstr("variable X: is 4 x 5 x 7 x 2, expected uint8 of height x width"));
  EXPECT_THAT(error(matlab_file({4, 5, 3, 0}, 0)), HasSubstr("it has the size 0"));
  EXPECT_THAT(error(matlab_file({4, 5, 3, 2}, 3)),
              HasSubstr("variable y: is 3 x 1, expected 2 whole numbers"));
  EXPECT_THAT(error(matlab_file({4, 5, 3, 11}, 11)),
              HasSubstr("record 10: label 11, expected 1 to 10"));
  EXPECT_THAT(error(header() + variable("X", 4, {1, 1}, 2, "a")),
              HasSubstr("variable X is no array of real numbers"));
  EXPECT_THAT(error(header() + variable("X", 0x800 | 9, {1, 1}, 2, "a")),
              HasSubstr("variable X is no array of real numbers"));
}

TEST(Matlab, AHeaderThatClaimsTerabytesAllocatesNothing) {
  const TestFolder folder;
  const auto x = variable("X", 9, {1u << 28, 1u << 28, 1u << 28, 1u << 28}, 2, "ab");
  for (const auto& bytes : {x, compressed(x)})
    EXPECT_THAT(error_reading(folder.write("b.mat", header() + bytes)),
                HasSubstr("but the file can hold no more"));
  EXPECT_THAT(
      error_reading(folder.write("b.mat", header() + variable("X", 9, {1u << 31, 1}, 2, ""))),
      HasSubstr("it has the size -2147483648"));
  EXPECT_THAT(error_reading(corpus("claims_5_9_gb")), HasSubstr("cut short within a variable"));
}

TEST(Matlab, DamageIsNoticed) {
  const TestFolder folder;
  const auto error = [&](const std::string& bytes) {
    return error_reading(folder.write("b.mat", header() + bytes));
  };
  const auto x = variable("X", 9, {1, 1, 1, 4}, 2, "abcd");
  EXPECT_THAT(error(element(14, words({0x70001}))), HasSubstr("7 bytes in a place for four"));
  EXPECT_THAT(error(element(14, element(6, words({9})))), HasSubstr("flags of 4 bytes"));
  EXPECT_THAT(error(element(14, words({6, 5000}))), HasSubstr("a header of 5000 bytes"));
  EXPECT_THAT(error(variable("X", 9, {1, 1, 1, 3}, 2, "abcd")),
              HasSubstr("has 4 bytes of data, expected 3"));
  auto checksum = compressed(x);
  checksum.back() = static_cast<char>(checksum.back() ^ 1);
  EXPECT_THAT(error(checksum), HasSubstr("its checksum is wrong"));
  EXPECT_THAT(error(compressed(x + x)), HasSubstr("more follows than it says"));
}

TEST(Matlab, AFileCutAnywhereIsAnErrorAndNoCrash) {
  const TestFolder folder;
  for (const bool zip : {false, true}) {
    const auto bytes = matlab_file({4, 5, 3, 2}, 2, zip);
    for (std::size_t size = 0; size < bytes.size(); size += 7)
      EXPECT_NE(error_reading(folder.write("b.mat", bytes.substr(0, size))), "") << size;
  }
  EXPECT_THAT(error_reading(folder.write("text.mat", "hello")), HasSubstr("not a MATLAB v5 file"));
}

TEST(Svhn, AgreesWithAnIndependentReader) {
  PENUMBRA_NEED_TEST_DATA();
  std::ifstream golden(PENUMBRA_SOURCE_DIR "/tests/golden/svhn_subset.json");
  const auto expected = Json::parse(golden);
  Options options{{"path", (test_data() / "svhn").string()}};
  const auto dataset = make_dataset("svhn", options);
  Reading reading;
  reading.threads = 2;
  for (const std::string part : {"train", "test"}) {
    const auto images = part == "train" ? dataset->train(reading) : dataset->test(reading);
    const auto& values = expected[part];
    EXPECT_EQ(images.size(), values["count"].get<int64_t>());
    for (int64_t digit = 0; digit < 10; ++digit)
      EXPECT_EQ(images.labels.eq(digit).sum().item<int64_t>(),
                values["digits"][digit].get<int64_t>());
    // A sum weighted by position notices any transposition.
    const auto flat = images.pixels.reshape({-1}).to(torch::kLong);
    const auto weights = torch::arange(flat.size(0), torch::kLong).remainder(9973);
    EXPECT_EQ((flat * weights).sum().item<int64_t>(), values["weighted_sum"].get<int64_t>());
    const auto statistics = channel_statistics(images.pixels, 2);
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(statistics.mean[c], values["mean"][c].get<double>(), 1e-9);
      EXPECT_NEAR(statistics.std[c], values["std"][c].get<double>(), 1e-9);
    }
  }
}

TEST(Matlab, InspectionGoesOnAfterAMissingOrBrokenFile) {
  const TestFolder folder;
  Reading reading;
  reading.inspect = true;
  reading.remedy = "'penumbra data get svhn' fetches it";
  EXPECT_EQ(read_matlab_images(folder / "none.mat", 1, 10, reading).size(), 0);
  EXPECT_EQ(read_matlab_images(folder.write("a.mat", "hello"), 1, 10, reading).size(), 0);
  EXPECT_EQ(read_matlab_images(folder.write("b.mat", matlab_file({4, 5, 3, 2}, 3)), 1, 10, reading)
                .size(),
            0);
  ASSERT_EQ(reading.problems.size(), 3U);
  EXPECT_THAT(reading.problems[0].what, HasSubstr("'penumbra data get svhn' fetches it"));
}

TEST(Matlab, PicturesAreBytesInFourDimensions) {
  const TestFolder folder;
  const auto y = variable("y", 6, {1, 1}, 2, "\1");
  const auto error = [&](const std::string& x) {
    return error_reading(folder.write("a.mat", header() + x + y));
  };
  const std::string doubles(8, '\0');
  EXPECT_THAT(error(variable("X", 6, {1, 1, 1, 1}, 9, doubles)),
              HasSubstr("variable X: is 1 x 1 x 1 x 1, expected uint8 of height x width x channels "
                        "x pictures"));
  EXPECT_THAT(error(variable("X", 9, {2, 3}, 2, "abcdef")), HasSubstr("variable X: is 2 x 3,"));
  EXPECT_THAT(error(variable("X", 9, {1, 1, 1, 1, 1}, 2, "a")),
              HasSubstr("variable X: is 1 x 1 x 1 x 1 x 1,"));
}

TEST(Matlab, LabelsAreARowOrAColumn) {
  const TestFolder folder;
  const auto x = variable("X", 9, {1, 1, 1, 4}, 2, "abcd");
  Reading reading;
  for (const auto& sizes : {std::vector<uint32_t>{1, 4}, std::vector<uint32_t>{4, 1}}) {
    const auto path = folder.write("a.mat", header() + x + variable("y", 6, sizes, 2, "\1\2\3\4"));
    EXPECT_EQ(read_matlab_images(path, 1, 10, reading).labels[3].item<int64_t>(), 4);
  }
  EXPECT_THAT(
      error_reading(folder.write("a.mat", header() + x + variable("y", 6, {2, 2}, 2, "\1\2\3\4"))),
      HasSubstr("variable y: is 2 x 2, expected 4 whole numbers, one for each picture"));
}

TEST(Matlab, FilesOfOtherVersionsAreToldApart) {
  const TestFolder folder;
  const auto whole = matlab_file({2, 2, 3, 1}, 1);
  auto big_end_first = whole, newer = whole;
  big_end_first.replace(124, 4, std::string("\1\0MI", 4));
  newer.replace(124, 4, std::string("\0\2IM", 4));  // v7.3, which is HDF5
  for (const auto& bytes : {big_end_first, newer, std::string(200, ' ')})
    EXPECT_THAT(
        error_reading(folder.write("a.mat", bytes)),
        HasSubstr("a.mat: not a MATLAB v5 file (v4, v7.3 and big-endian ones are not read); "
                  "get it again"));
  EXPECT_THAT(error_reading(folder.write("a.mat", header())), HasSubstr("variable X: not there"));
}

TEST(Matlab, TheLengthOfANameIsNoMatterAndTheFirstOfTwoCounts) {
  const TestFolder folder;
  Reading reading;
  const auto other = variable(std::string(63, 'n'), 9, {1, 1}, 2, "z");
  const auto first = variable("X", 9, {1, 1, 1, 1}, 2, "a"),
             second = variable("X", 9, {1, 1, 1, 1}, 2, "b"), y = variable("y", 6, {1, 1}, 2, "\1");
  const auto images = read_matlab_images(
      folder.write("a.mat", header() + other + first + second + y), 1, 10, reading);
  EXPECT_EQ(images.pixels.item<int>(), 'a');
}

TEST(Matlab, CompressedDataThatIsNoneIsNamed) {
  const TestFolder folder;
  const std::string rubbish = "these bytes are not deflated at all.....";
  const auto bytes = words({15, static_cast<uint32_t>(rubbish.size())}) + rubbish;
  EXPECT_THAT(error_reading(folder.write("a.mat", header() + bytes)),
              HasSubstr("variable without a name is damaged or cut short; get the file again"));
  // Compressed, but of something else than a variable: passed over.
  EXPECT_THAT(error_reading(folder.write("a.mat", header() + compressed(element(7, "a number")))),
              HasSubstr("variable X: not there"));
}

}  // namespace
}  // namespace penumbra
