// What every dataset promises, run over all of them: a newcomer's file is tested as it is.

#include <unordered_set>

#include "penumbra/data/dataset.h"
#include "tests/expect_error.h"
#include "tests/test_data.h"

namespace penumbra {
namespace {

class DatasetContract : public testing::TestWithParam<std::string> {};

TEST_P(DatasetContract, MakingOneReadsNothingAndDescribesItsOptions) {
  Options options;
  EXPECT_NE(make_dataset(GetParam(), options), nullptr);
  EXPECT_FALSE(options.described().empty());
  for (const auto& option : options.described()) EXPECT_NE(option.meaning, "") << option.key;
}

TEST_P(DatasetContract, AnUnknownOptionIsAnError) {
  Options options{{"no_such_option", "1"}};
  EXPECT_THAT(error_of([&] { make_dataset(GetParam(), options); }),
              testing::HasSubstr("dataset '" + GetParam() + "' does not know 'no_such_option'"));
}

TEST_P(DatasetContract, ImagesHaveTheirTypesShapesAndLabels) {
  const auto path = find_dataset(GetParam(), test_data());
  if (GetParam() == "folder" || (!path.empty() && !std::filesystem::is_directory(path)))
    GTEST_SKIP() << "no files of " << GetParam()
                 << ": set PENUMBRA_TEST_DATA, or 'penumbra data get " << GetParam() << "'";
  const auto opened = open_dataset(GetParam(), test_data());
  Reading reading;
  reading.threads = 2;
  const auto classes = opened.dataset->classes(reading);
  EXPECT_GE(classes.size(), 2u);
  EXPECT_EQ(std::unordered_set<std::string>(classes.begin(), classes.end()).size(), classes.size());
  const auto train = opened.dataset->train(reading), test = opened.dataset->test(reading);
  for (const auto& images : {train, test}) {
    EXPECT_GT(images.size(), 0);
    EXPECT_EQ(images.pixels.scalar_type(), torch::kByte);
    EXPECT_TRUE(images.pixels.is_contiguous());
    EXPECT_EQ(images.labels.sizes(), torch::IntArrayRef({images.size()}));
    EXPECT_EQ(images.labels.scalar_type(), torch::kLong);
    EXPECT_GE(images.labels.min().item<int64_t>(), kUnlabelled);
    EXPECT_LT(images.labels.max().item<int64_t>(), static_cast<int64_t>(classes.size()));
  }
  EXPECT_EQ(train.pixels[0].sizes(), test.pixels[0].sizes());
  EXPECT_EQ(std::get<0>(at::_unique(train.labels)).numel(), static_cast<int64_t>(classes.size()));
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& part : list_datasets()) all.push_back(part.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, DatasetContract, testing::ValuesIn(names()),
                         [](const auto& tested) { return tested.param; });

TEST(OpenDataset, SaysWhatThereIsWhenTheNameIsUnknown) {
  EXPECT_THAT(error_of([] { open_dataset("cifar11", "/tmp"); }),
              testing::HasSubstr("no dataset or folder 'cifar11': expected a folder of pictures or "
                                 "one of: blobs cifar10"));
}

TEST(OpenDataset, SaysHowToGetABenchmarkThatIsNotThere) {
  EXPECT_EQ(error_of([] { open_dataset("cifar10", "/no/such/root"); }),
            "no folder /no/such/root/cifar-10-batches-bin: 'penumbra data get cifar10' fetches it "
            "or says where to find it");
}

TEST(OpenDataset, RecognisesABenchmarkByItsFiles) {
  PENUMBRA_NEED_TEST_DATA();
  for (const auto& [folder, name] : std::vector<std::pair<std::string, std::string>>{
           {"cifar-10-batches-bin", "cifar10"}, {"cifar-100-binary", "cifar100"}, {"svhn", "svhn"}})
    EXPECT_EQ(open_dataset((test_data() / folder).string(), "/tmp").name, name);
}

TEST(DataRoot, GivenBeatsEnvironmentBeatsCacheFolder) {
  setenv("PENUMBRA_DATA", "/from/environment", 1);
  EXPECT_EQ(data_root("/given"), "/given");
  EXPECT_EQ(data_root(""), "/from/environment");
  unsetenv("PENUMBRA_DATA");
  setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(data_root(""), "/cache/penumbra");
  unsetenv("XDG_CACHE_HOME");
}

TEST(DataRoot, WithoutAnyOfThemIsBelowTheHomeFolder) {
  const char* kept = std::getenv("HOME");
  const std::string home = kept == nullptr ? "" : kept;
  for (const char* name : {"PENUMBRA_DATA", "XDG_CACHE_HOME"}) unsetenv(name);
  setenv("HOME", "/home/somebody", 1);
  EXPECT_EQ(data_root(""), "/home/somebody/.cache/penumbra");
  setenv("XDG_CACHE_HOME", "", 1);  // set and empty is as good as not set
  setenv("PENUMBRA_DATA", "", 1);
  EXPECT_EQ(data_root(""), "/home/somebody/.cache/penumbra");
  for (const char* name : {"PENUMBRA_DATA", "XDG_CACHE_HOME", "HOME"}) unsetenv(name);
  EXPECT_EQ(data_root(""), "/tmp/.cache/penumbra");
  if (kept != nullptr) setenv("HOME", home.c_str(), 1);
}

}  // namespace
}  // namespace penumbra
