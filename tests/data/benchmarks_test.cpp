// What each benchmark makes of its files, on a few pictures made here.

#include "penumbra/core/file.h"
#include "penumbra/data/dataset.h"
#include "tests/expect_error.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

std::unique_ptr<Dataset> dataset_in(const TestFolder& folder, const std::string& name) {
  Options options{{"path", folder.path().string()}};
  return make_dataset(name, options);
}

// An idx file of bytes: magic 0 0 8 DIMENSIONS, sizes below 256, values.
std::string idx_bytes(const std::vector<int>& sizes, const std::string& values) {
  std::string bytes("\0\0\x08", 3);
  bytes += static_cast<char>(sizes.size());
  for (const int size : sizes) bytes += std::string(3, '\0') + static_cast<char>(size);
  return bytes + values;
}

void write_idx_set(const TestFolder& folder, const std::string& prefix, const std::string& labels) {
  const auto n = static_cast<int>(labels.size());
  folder.write(prefix + "-images-idx3-ubyte",
               idx_bytes({n, 2, 2}, std::string(4 * labels.size(), prefix[0])));
  folder.write(prefix + "-labels-idx1-ubyte", idx_bytes({n}, labels));
}

TEST(Mnist, HasASetToTrainAndOneToTest) {
  for (const std::string name : {"mnist", "fashion_mnist"}) {
    const TestFolder folder;
    write_idx_set(folder, "train", std::string("\3\1\4", 3));
    write_idx_set(folder, "t10k", std::string("\0\7", 2));
    Reading reading;
    const auto dataset = dataset_in(folder, name);
    const auto train = dataset->train(reading), test = dataset->test(reading);
    EXPECT_EQ(train.pixels.sizes(), torch::IntArrayRef({3, 2, 2, 1})) << name;
    EXPECT_TRUE(train.labels.equal(torch::tensor({3, 1, 4}, torch::kLong))) << name;
    EXPECT_TRUE(test.labels.equal(torch::tensor({0, 7}, torch::kLong))) << name;
    EXPECT_EQ(test.pixels.max().item<int>(), 't') << name;
    EXPECT_EQ(dataset->classes(reading).size(), 10U) << name;
    EXPECT_EQ(dataset->validation(reading).size(), 0) << name;
  }
}

TEST(Mnist, AMissingTestSetIsNamed) {
  const TestFolder folder;
  write_idx_set(folder, "train", std::string("\3\1\4", 3));
  Reading reading;
  EXPECT_THAT(error_of([&] { dataset_in(folder, "mnist")->test(reading); }),
              HasSubstr("t10k-images-idx3-ubyte: no such file"));
}

// Files of scipy with the labels 1 and 10.
TEST(Svhn, TheLabelTenIsTheDigitNought) {
  const TestFolder folder;
  const auto file = read_file(PENUMBRA_SOURCE_DIR "/fuzz/corpus/matlab/plain_uint8");
  folder.write("train_32x32.mat", file);
  folder.write("test_32x32.mat", file);
  Reading reading;
  const auto dataset = dataset_in(folder, "svhn");
  EXPECT_TRUE(dataset->train(reading).labels.equal(torch::tensor({1, 0}, torch::kLong)));
  EXPECT_TRUE(dataset->test(reading).labels.equal(torch::tensor({1, 0}, torch::kLong)));
  EXPECT_EQ(dataset->classes(reading).front(), "0");
}

class EveryBenchmark : public testing::TestWithParam<std::string> {
 protected:
  Origin origin() const {
    Options none;
    return make_dataset(GetParam(), none)->origin();
  }
};

TEST_P(EveryBenchmark, SaysWhereItsFilesComeFrom) {
  const auto found = origin();
  EXPECT_FALSE(found.folder.empty());
  EXPECT_EQ(found.address.rfind("http", 0), 0U) << found.address;
  EXPECT_FALSE(found.terms.empty());
  EXPECT_FALSE(found.downloads.empty());
  for (const auto& download : found.downloads) {
    EXPECT_FALSE(download.name.empty());
    EXPECT_TRUE(download.install);
  }
}

TEST_P(EveryBenchmark, KnowsItsFilesBySumsOfSha256OrNotAtAll) {
  const auto files = origin().files;
  EXPECT_GE(files.size(), 2U);
  for (const auto& file : files) {
    EXPECT_FALSE(file.name.empty());
    if (file.sha256.empty()) continue;
    EXPECT_EQ(file.sha256.size(), 64U) << file.name;
    EXPECT_EQ(file.sha256.find_first_not_of("0123456789abcdef"), std::string::npos) << file.name;
  }
}

TEST_P(EveryBenchmark, DoesNotTakeAFolderOfPicturesForItsOwn) {
  const TestFolder folder;
  for (const char* name : {"cat/1.png", "dog/2.png", "train/cat/3.png", "readme.txt"})
    folder.write(name, "");
  Options none;
  EXPECT_FALSE(make_dataset(GetParam(), none)->recognises(folder.path()));
}

INSTANTIATE_TEST_SUITE_P(All, EveryBenchmark,
                         testing::Values("cifar10", "cifar100", "fashion_mnist", "mnist", "svhn"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace penumbra
