#include "penumbra/data/install.h"

#include "penumbra/core/file.h"
#include "tests/expect_error.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

TEST(TakeFolder, MovesTheFilesOfOneFolderAndNoOthers) {
  const TestFolder unpacked, target;
  unpacked.write("package/data/a.bin", "a");
  unpacked.write("package/data/b.bin", "b");
  unpacked.write("package/data/deeper/c.bin", "c");
  unpacked.write("package/readme", "d");
  // A link could lead anywhere on the machine of who unpacks it.
  std::filesystem::create_symlink("/etc/hostname", unpacked / "package/data/link");
  take_folder("package/data")(unpacked.path(), target.path());
  EXPECT_EQ(read_file(target / "a.bin"), "a");
  EXPECT_EQ(read_file(target / "b.bin"), "b");
  std::size_t entries_in_target = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(target.path()))
    ++entries_in_target;
  EXPECT_EQ(entries_in_target, 2U);
  EXPECT_FALSE(std::filesystem::exists(unpacked / "package/data/a.bin"));
}

TEST(TakeFolder, MayBeTheWholeOfWhatWasUnpacked) {
  const TestFolder unpacked, target;
  unpacked.write("train.mat", "x");
  take_folder(".")(unpacked.path(), target.path());
  EXPECT_EQ(read_file(target / "train.mat"), "x");
}

TEST(TakeFolder, ThatIsNotThereIsNamed) {
  const TestFolder unpacked, target;
  unpacked.write("outer", "a file");
  for (const std::string name : {"inner", "outer"})
    EXPECT_EQ(error_of([&] { take_folder(name)(unpacked.path(), target.path()); }),
              "it holds no folder '" + name + "'");
}

TEST(TakeFolder, BehindALinkToTheUsersOwnFilesIsRefused) {
  const TestFolder unpacked, target, mine;
  mine.write("data/precious", "mine");
  std::filesystem::create_directory_symlink(mine / "data", unpacked / "data");
  std::filesystem::create_directory_symlink(mine.path(), unpacked / "package");
  const auto place = std::filesystem::canonical(mine / "data").string();
  for (const std::string name : {"data", "package/data"})
    EXPECT_EQ(error_of([&] { take_folder(name)(unpacked.path(), target.path()); }),
              "its folder '" + name + "' is a link to " + place + ", expected a folder of its own");
  EXPECT_EQ(read_file(mine / "data/precious"), "mine");
  EXPECT_TRUE(std::filesystem::is_empty(target.path()));
}

TEST(TakeFolder, BehindALinkWithinTheArchiveIsTaken) {
  const TestFolder unpacked, target;
  unpacked.write("data-1.2/a.bin", "a");
  std::filesystem::create_directory_symlink("data-1.2", unpacked / "data");
  std::filesystem::create_symlink("circle", unpacked / "data-1.2/circle");
  take_folder("data")(unpacked.path(), target.path());
  EXPECT_EQ(read_file(target / "a.bin"), "a");
}

}  // namespace
}  // namespace penumbra
