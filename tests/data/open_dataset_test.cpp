#include <tuple>

#include "penumbra/data/dataset.h"
#include "tests/expect_error.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

std::string value_of(const OpenedDataset& opened, const std::string& key) {
  for (const auto& option : opened.options)
    if (option.key == key) return option.value;
  return "no such option";
}

TEST(OpenDataset, TellsBenchmarksByTheNamesOfTheirFiles) {
  const std::pair<std::string, std::string> releases[] = {
      {"data_batch_1.bin", "cifar10"},      {"batches.meta.txt", "cifar10"},
      {"fine_label_names.txt", "cifar100"}, {"train_32x32.mat", "svhn"},
      {"train-images-idx3-ubyte", "mnist"}, {"train-images-idx3-ubyte.gz", "mnist"}};
  for (const auto& [file, name] : releases) {
    const TestFolder folder;
    folder.write(file, "");
    const auto opened = open_dataset(folder.path().string(), "/no/such/root");
    EXPECT_EQ(opened.name, name) << file;
    EXPECT_EQ(value_of(opened, "path"), folder.path().string());
  }
  const TestFolder folder;
  folder.write("FashionMNIST/raw/train-images-idx3-ubyte", "");
  EXPECT_EQ(open_dataset((folder / "FashionMNIST/raw").string(), "/no/such/root").name,
            "fashion_mnist");
  EXPECT_EQ(open_dataset(folder.path().string(), "/no/such/root").name, "folder");
}

TEST(OpenDataset, FindsABenchmarkUnderItsReleasesNameOrItsOwn) {
  const TestFolder root;
  EXPECT_EQ(find_dataset("cifar10", root.path()), root / "cifar-10-batches-bin");
  std::filesystem::create_directory(root / "cifar10");
  EXPECT_EQ(find_dataset("cifar10", root.path()), root / "cifar10");
  std::filesystem::create_directory(root / "cifar-10-batches-bin");
  EXPECT_EQ(find_dataset("cifar10", root.path()), root / "cifar-10-batches-bin");
  EXPECT_EQ(find_dataset("blobs", root.path()), "");
  EXPECT_EQ(value_of(open_dataset("cifar10", root.path()), "path"),
            (root / "cifar-10-batches-bin").string());
}

TEST(OpenDataset, APathThatWasGivenIsNotLookedFor) {
  const auto opened = open_dataset("svhn", "/no/such/root", {{"path", "/somewhere/else"}});
  EXPECT_EQ(value_of(opened, "path"), "/somewhere/else");
}

TEST(OpenDataset, TwoPathsThatDifferAreAnError) {
  const TestFolder folder, other;
  const auto path = folder.path().string();
  EXPECT_EQ(error_of([&] {
              open_dataset(path, "/root", {{"path", other.path().string()}});
            }),
            "the option 'path' is " + other.path().string() + " and the data is " + path +
                ": expected one of them");
  // The same folder, said in two ways, is one.
  EXPECT_EQ(open_dataset(path, "/root", {{"path", path + "/."}}).name, "folder");
}

TEST(OpenDataset, RemediesAreSaidOnlyForWhatCanBeFetched) {
  const TestFolder folder;
  EXPECT_EQ(remedy_of(open_dataset(folder.path().string(), "/root")), "");
  EXPECT_EQ(remedy_of(open_dataset("blobs", "/root")), "");
  folder.write("train_32x32.mat", "");
  EXPECT_EQ(remedy_of(open_dataset(folder.path().string(), "/root")),
            "'penumbra data get svhn' fetches it or says where to find it");
}

TEST(OpenDataset, OptionsOfAnotherDatasetAreAnError) {
  EXPECT_THAT(error_of([] {
                open_dataset("blobs", "/root", {{"fit", "crop"}});
              }),
              HasSubstr("dataset 'blobs' does not know 'fit'; it knows 'count' 'size'"));
  EXPECT_THAT(error_of([] {
                open_dataset("blobs", "/root", {{"count", "0"}});
              }),
              HasSubstr("option 'count' is '0': expected a whole number from 1 to"));
}

TEST(OpenDataset, DigitsAreNotMirrored) {
  const TestFolder root;
  for (const auto& [name, folder, mirrors] :
       std::vector<std::tuple<std::string, std::string, bool>>{
           {"mnist", "mnist", false},
           {"svhn", "svhn", false},
           {"cifar10", "cifar10", true},
           {"cifar100", "cifar100", true},
           {"fashion_mnist", "fashion-mnist", true}}) {
    std::filesystem::create_directory(root / folder);
    EXPECT_EQ(open_dataset(name, root.path()).dataset->mirrors(), mirrors) << name;
  }
  EXPECT_FALSE(open_dataset("blobs", root.path()).dataset->mirrors());
}

TEST(OpenDataset, LinksInACircleAreNoFolderAndNoCrash) {
  const TestFolder root;
  std::filesystem::create_symlink("mnist", root / "mnist");
  EXPECT_EQ(find_dataset("mnist", root.path()), root / "mnist");
  EXPECT_THAT(error_of([&] { open_dataset("mnist", root.path()); }),
              HasSubstr("no folder " + (root / "mnist").string()));
  for (const char* file :
       {"data_batch_1.bin", "fine_label_names.txt", "train_32x32.mat", "train-images-idx3-ubyte"}) {
    const TestFolder folder;
    std::filesystem::create_symlink(file, folder / file);
    EXPECT_NE(open_dataset(folder.path().string(), root.path()).name, "folder") << file;
  }
}

}  // namespace
}  // namespace penumbra
