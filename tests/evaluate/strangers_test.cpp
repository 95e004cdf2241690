#include "penumbra/evaluate/strangers.h"

#include "tests/blobs_experiment.h"
#include "tests/expect_error.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

Strangers open(const std::string& name, const Experiment& experiment,
               std::vector<std::string>* notes = nullptr) {
  Reading reading;
  auto found = open_strangers(name, {}, reading, experiment);
  if (notes != nullptr) *notes = reading.notes;
  return found;
}

TEST(Strangers, ComeInTheShapeOfTheModel) {
  const auto experiment = blobs_experiment();
  const auto strangers = open("noise", experiment);
  EXPECT_EQ(strangers.name, "noise");
  EXPECT_GT(strangers.images.size(), 100);
  EXPECT_EQ(strangers.images.pixels[0].sizes(), torch::IntArrayRef({8, 8, 3}));
}

TEST(Strangers, AreNotTheRunsOwnData) {
  EXPECT_THAT(error_of([] { open("blobs", blobs_experiment()); }),
              HasSubstr("'blobs' is what the model was trained on"));
}

TEST(Strangers, AreNotTheRunsOwnDataByAnotherName) {
  const TestFolder folder;
  std::filesystem::create_directories(folder / "photos/test/cat");
  auto experiment = blobs_experiment();
  experiment.run.data = (folder / "photos").string();
  for (const char* name : {"photos/", "photos/test", "photos/../photos/test/cat"})
    EXPECT_THAT(error_of([&] { open((folder / name).string(), experiment); }),
                HasSubstr("is what the model was trained on"))
        << name;
  // A folder around it holds it.
  EXPECT_THAT(error_of([&] { open(folder.path().string(), experiment); }),
              HasSubstr("is what the model was trained on, or holds it"));
  // Beside it is not in it.
  std::filesystem::create_directories(folder / "photos2");
  EXPECT_THAT(error_of([&] { open((folder / "photos2").string(), experiment); }),
              testing::Not(HasSubstr("was trained on")));
}

TEST(Strangers, AreNotTheFilesOfTheRunByTheNameOfTheirDataset) {
  const TestFolder root;
  std::filesystem::create_directories(root / "cifar-10-batches-bin");
  auto experiment = blobs_experiment();
  experiment.run.data = (root / "cifar-10-batches-bin").string();
  Reading reading;
  EXPECT_THAT(error_of([&] { open_strangers("cifar10", root.path(), reading, experiment); }),
              HasSubstr("'cifar10' is what the model was trained on"));
}

TEST(Strangers, AreNotThePoolOfTheRun) {
  const TestFolder folder;
  std::filesystem::create_directories(folder / "pool/inner");
  auto experiment = blobs_experiment();
  experiment.run.pool = (folder / "pool").string();
  for (const char* name : {"pool", "pool/inner"})
    EXPECT_THAT(error_of([&] { open((folder / name).string(), experiment); }),
                HasSubstr("is the pool that the model was trained on"))
        << name;
}

void copy_picture(const char* from, const std::filesystem::path& to) {
  std::filesystem::copy_file(
      std::filesystem::path(PENUMBRA_SOURCE_DIR "/fuzz/corpus/picture") / from, to);
}

TEST(Strangers, AreNotACopyOfTheTestPicturesInAnyOrder) {
  const TestFolder folder;
  copy_picture("png_RGB", folder / "a.png");
  copy_picture("jpeg_L", folder / "b.jpg");
  auto experiment = blobs_experiment();
  const auto copied = open(folder.path().string(), experiment).images.pixels;
  experiment.test.pixels = torch::cat({experiment.test.pixels, copied.flip(0)});
  EXPECT_THAT(error_of([&] { open(folder.path().string(), experiment); }),
              HasSubstr("each of its 2 pictures is a test picture of blobs"));
  copy_picture("webp", folder / "c.webp");  // one that is no test picture
  EXPECT_EQ(open(folder.path().string(), experiment).images.size(), 3);
}

TEST(Strangers, AreNamedOnceAndWithoutSlashesAtTheEnd) {
  EXPECT_EQ(stranger_names({"noise", "a/b//"}), (std::vector<std::string>{"noise", "a/b"}));
  EXPECT_THAT(error_of([] {
                stranger_names({"noise", "svhn", "noise"});
              }),
              HasSubstr("--ood 'noise' is given twice"));
  const TestFolder folder;
  std::filesystem::create_directories(folder / "odd");
  EXPECT_THAT(error_of([&] {
                stranger_names({(folder / "odd").string(), (folder / "odd/../odd/").string()});
              }),
              HasSubstr("is given twice"));
}

TEST(Strangers, FromAFolderNeedNoClassesAndBrokenPicturesAreLeftOut) {
  const TestFolder folder;
  std::filesystem::create_directories(folder / "any/where");
  for (const auto& [from, to] :
       {std::pair("png_RGB", "a.png"), {"jpeg_L", "any/where/b.jpg"}, {"webp", "any/c.webp"}})
    copy_picture(from, folder / to);
  folder.write("any/broken.png", "no picture");
  std::vector<std::string> notes;
  const auto strangers = open(folder.path().string(), blobs_experiment(), &notes);
  EXPECT_EQ(strangers.images.size(), 3);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0], HasSubstr("1 of 4 pictures in"));
  EXPECT_TRUE(strangers.images.labels.eq(kUnlabelled).all().item<bool>());
}

TEST(Strangers, AFolderWithoutPicturesThatCanBeReadIsAnError) {
  const TestFolder folder;
  folder.write("readme.txt", "nothing to see");
  const auto error = [&] {
    return error_of([&] { open(folder.path().string(), blobs_experiment()); });
  };
  EXPECT_THAT(error(), HasSubstr("' has no picture to show as a stranger: 0 found, 0 of them "
                                 "unreadable; expected JPEG, PNG or WebP files"));
  folder.write("a.png", "no picture");
  folder.write("inner/b.jpg", "nor this");
  EXPECT_THAT(error(), HasSubstr("2 found, 2 of them unreadable"));
}

// Digits of one pixel each, the first half black and the second half white.
TEST(Strangers, OfALargeDatasetAreTenThousandFromAllOverIt) {
  constexpr std::size_t kHalf = 15000;
  const std::string count{0, 0, kHalf * 2 >> 8, static_cast<char>(kHalf * 2 & 255)},
      one{0, 0, 0, 1};
  const TestFolder root;
  root.write("mnist/t10k-images-idx3-ubyte", std::string{0, 0, 8, 3} + count + one + one +
                                                 std::string(kHalf, 0) + std::string(kHalf, -1));
  root.write("mnist/t10k-labels-idx1-ubyte",
             std::string{0, 0, 8, 1} + count + std::string(kHalf, 0) + std::string(kHalf, 1));
  Reading reading;
  const auto found = open_strangers("mnist", root.path(), reading, blobs_experiment()).images;
  EXPECT_EQ(found.size(), 10000);
  EXPECT_EQ(found.labels.sum().item<int64_t>(), 5000);
  EXPECT_TRUE(found.pixels.flatten(1).amax(1).eq(255 * found.labels).all().item<bool>());
}

TEST(Strangers, ThatAreNeitherADatasetNorAFolderAreNamed) {
  EXPECT_THAT(error_of([] { open("nosie", blobs_experiment()); }),
              HasSubstr("no dataset or folder 'nosie': expected a folder of pictures or one of: "));
}

}  // namespace
}  // namespace penumbra
