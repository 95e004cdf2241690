#include "penumbra/data/matlab.h"

#include <matio.h>

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

// Writes X of the given sizes, counting upwards, and y = 1 .. n as doubles.
std::filesystem::path write_matlab(const TestFolder& folder, std::vector<std::size_t> sizes,
                                   std::size_t labels, matio_compression compression,
                                   const char* x_name = "X", const char* y_name = "y") {
  const auto path = folder / "a.mat";
  mat_t* file = Mat_CreateVer(path.c_str(), nullptr, MAT_FT_MAT5);
  std::size_t total = 1;
  for (const auto size : sizes) total *= size;
  std::vector<uint8_t> x(total);
  for (std::size_t i = 0; i < total; ++i) x[i] = static_cast<uint8_t>(i % 251);
  std::vector<double> y(labels);
  for (std::size_t i = 0; i < labels; ++i) y[i] = static_cast<double>(i + 1);
  std::size_t y_sizes[] = {labels, 1};
  matvar_t* variables[] = {
      Mat_VarCreate(x_name, MAT_C_UINT8, MAT_T_UINT8, static_cast<int>(sizes.size()), sizes.data(),
                    x.data(), 0),
      Mat_VarCreate(y_name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, y_sizes, y.data(), 0)};
  for (auto* variable : variables) {
    Mat_VarWrite(file, variable, compression);
    Mat_VarFree(variable);
  }
  Mat_Close(file);
  return path;
}

std::string error_reading(const std::filesystem::path& path) {
  Reading reading;
  return error_of([&] { read_matlab_images(path, 1, 10, reading); });
}

TEST(Matlab, TheFirstIndexRunsFastest) {
  const TestFolder folder;
  Reading reading;
  for (const auto compression : {MAT_COMPRESSION_NONE, MAT_COMPRESSION_ZLIB}) {
    const auto images =
        read_matlab_images(write_matlab(folder, {4, 5, 3, 2}, 2, compression), 1, 10, reading);
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

TEST(Matlab, OnePictureHasNoFourthDimension) {
  const TestFolder folder;
  Reading reading;
  const auto images =
      read_matlab_images(write_matlab(folder, {4, 5, 3}, 1, MAT_COMPRESSION_ZLIB), 1, 10, reading);
  EXPECT_EQ(images.pixels.sizes(), torch::IntArrayRef({1, 4, 5, 3}));
}

TEST(Matlab, SaysWhichVariableIsMissingOrOfAnotherShape) {
  const TestFolder folder;
  const auto none = MAT_COMPRESSION_NONE;
  EXPECT_THAT(error_reading(write_matlab(folder, {4, 5, 3, 2}, 2, none, "Z")),
              HasSubstr("a.mat, variable X: not there"));
  EXPECT_THAT(error_reading(write_matlab(folder, {4, 5, 3, 2}, 2, none, "X", "z")),
              HasSubstr("a.mat, variable y: not there"));
  EXPECT_THAT(error_reading(write_matlab(folder, {4, 5, 7, 2}, 2, none)),
              HasSubstr("variable X: is 4 x 5 x 7 x 2, expected uint8 of height x width"));
  EXPECT_THAT(error_reading(write_matlab(folder, {4, 5, 3, 2}, 3, none)),
              HasSubstr("variable y: is 3 x 1, expected 2 numbers"));
  EXPECT_THAT(error_reading(write_matlab(folder, {4, 5, 3, 11}, 11, none)),
              HasSubstr("record 10: label 11, expected 1 to 10"));
}

TEST(Matlab, AHeaderThatClaimsTerabytesAllocatesNothing) {
  const TestFolder folder;
  auto bytes = read_file(write_matlab(folder, {4, 5, 3, 2}, 2, MAT_COMPRESSION_NONE));
  // The dimensions stand as little-endian 4 5 3 2; make them all huge.
  const std::string sizes("\4\0\0\0\5\0\0\0\3\0\0\0\2\0\0\0", 16);
  const auto at = bytes.find(sizes);
  ASSERT_NE(at, std::string::npos);
  for (std::size_t i = 0; i < 4; ++i) bytes.replace(at + 4 * i, 4, std::string("\0\0\0\x10", 4));
  EXPECT_THAT(error_reading(folder.write("b.mat", bytes)),
              HasSubstr("but the file can hold no more"));
}

TEST(Matlab, AFileCutAnywhereIsAnErrorAndNoCrash) {
  const TestFolder folder;
  for (const auto compression : {MAT_COMPRESSION_NONE, MAT_COMPRESSION_ZLIB}) {
    const auto bytes = read_file(write_matlab(folder, {4, 5, 3, 2}, 2, compression));
    for (std::size_t size = 0; size + 8 < bytes.size(); size += 7)
      EXPECT_NE(error_reading(folder.write("b.mat", bytes.substr(0, size))), "") << size;
  }
  EXPECT_THAT(error_reading(folder.write("text.mat", "hello")), HasSubstr("not a MATLAB file"));
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

}  // namespace
}  // namespace penumbra
