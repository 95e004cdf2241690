#include "penumbra/data/picture_files.h"

#include <sys/stat.h>

#include "tests/expect_error.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> names_of(const std::vector<PictureFile>& files) {
  std::vector<std::string> found;
  found.reserve(files.size());
  for (const auto& file : files) found.push_back(file.name);
  return found;
}

TEST(PictureFiles, AreKnownByTheirEndingInAnyCase) {
  for (const char* name :
       {"a.jpg", "a.JPG", "a.JpEg", "a.png", "a.webp", ".jpg", "a.b.png", "ü.png"})
    EXPECT_TRUE(has_picture_name(name)) << name;
  for (const char* name : {"", "jpg", "a.jpg2", "a.jp", "a.", "a.png.txt", "a.jpgs", "a.jpeg2000"})
    EXPECT_FALSE(has_picture_name(name)) << name;
}

TEST(PictureFiles, AreListedByNameWithSizeAndTime) {
  const TestFolder folder;
  folder.write("b.png", "12345");
  folder.write("a/2.png", "1");
  folder.write("a/10.png", "");
  const auto files = list_pictures(folder.path(), "");
  EXPECT_THAT(names_of(files), ElementsAre("a/10.png", "a/2.png", "b.png"));
  EXPECT_EQ(files[2].size, 5U);
  EXPECT_EQ(files[2].label, -1);
  struct stat status {};
  ASSERT_EQ(stat((folder / "b.png").c_str(), &status), 0);
  EXPECT_EQ(files[2].modified, status.st_mtim.tv_sec * 1000000000LL + status.st_mtim.tv_nsec);
}

TEST(PictureFiles, OfOneFolderAreNamedRelativeToTheRoot) {
  const TestFolder folder;
  folder.write("a/x/1.png", "");
  folder.write("b/2.png", "");
  EXPECT_THAT(names_of(list_pictures(folder.path(), "a")), ElementsAre("a/x/1.png"));
}

TEST(PictureFiles, HiddenOnesAndOtherFilesArePassedOver) {
  const TestFolder folder;
  for (const char* name : {".1.png", ".hidden/2.png", "3.txt", "4", "5.heic", "6.GIF", ".7.gif"})
    folder.write(name, "");
  LeftOut left_out;
  left_out.foreign = 10;
  EXPECT_THAT(list_pictures(folder.path(), "", &left_out), IsEmpty());
  EXPECT_EQ(left_out.foreign, 12U);  // added to what was counted before
  EXPECT_THAT(list_pictures(folder.path(), ""), IsEmpty());
}

TEST(PictureFiles, AFolderOrDeviceWithAPicturesNameIsNone) {
  const TestFolder folder;
  folder.write("album.png/1.png", "");
  ASSERT_EQ(mkfifo((folder / "pipe.png").c_str(), 0600), 0);
  EXPECT_THAT(names_of(list_pictures(folder.path(), "")), ElementsAre("album.png/1.png"));
}

TEST(PictureFiles, LinksAreFollowedAndEachFolderIsReadOnce) {
  const TestFolder folder, elsewhere;
  elsewhere.write("1.png", "");
  folder.write("a/2.png", "");
  std::filesystem::create_directory_symlink(elsewhere.path(), folder / "b");
  std::filesystem::create_directory_symlink(elsewhere.path(), folder / "c");  // the same again
  std::filesystem::create_directory_symlink(folder.path(), folder / "a/up");
  std::filesystem::create_symlink(folder / "a/2.png", folder / "3.png");
  std::filesystem::create_symlink("nowhere.png", folder / "4.png");
  EXPECT_THAT(names_of(list_pictures(folder.path(), "")),
              ElementsAre("3.png", "a/2.png", "b/1.png"));
}

TEST(PictureFiles, FoldersAreListedByNameWithoutHiddenOnesAndFiles) {
  const TestFolder folder;
  for (const char* name : {"b/1.png", "a/1.png", ".git/1.png", "1.png"}) folder.write(name, "");
  std::filesystem::create_directory_symlink(folder / "a", folder / "c");
  EXPECT_THAT(list_folders(folder.path()), ElementsAre("a", "b", "c"));
}

TEST(PictureFiles, AFolderThatCannotBeOpenedIsNamed) {
  const TestFolder folder;
  const auto none = (folder / "none").string();
  EXPECT_EQ(error_of([&] { list_folders(none); }),
            "cannot open folder " + none + ": No such file or directory");
  EXPECT_THAT(error_of([&] { list_pictures(folder.path(), "none"); }),
              HasSubstr("none: No such file or directory"));
  EXPECT_THAT(error_of([&] { list_folders(folder.write("file", "")); }),
              HasSubstr("file: Not a directory"));
}

// Each folder links to the next one: after forty links the kernel follows no more.
TEST(PictureFiles, AFolderThatCannotBeOpenedIsLeftOutAndSaid) {
  const TestFolder folder;
  for (int i = 0; i < 50; ++i)
    folder.write(std::to_string(i) + "/" + std::to_string(i) + ".png", "");
  for (int i = 0; i < 49; ++i)
    std::filesystem::create_directory_symlink(folder / std::to_string(i + 1),
                                              folder / (std::to_string(i) + "/next"));
  LeftOut left_out;
  const auto files = names_of(list_pictures(folder / "0", "", &left_out));
  EXPECT_GE(files.size(), 30U);
  EXPECT_THAT(files, testing::Contains("0.png"));
  ASSERT_EQ(left_out.closed.size(), 1U);
  EXPECT_THAT(left_out.closed[0].file, HasSubstr("0/next/next/"));
  EXPECT_EQ(left_out.closed[0].what, "cannot open the folder: Too many levels of symbolic links");
  EXPECT_THAT(error_of([&] { list_pictures(folder / "0", ""); }), HasSubstr("Too many levels"));
  LeftOut none;
  EXPECT_THAT(list_pictures(folder.path(), "gone", &none), IsEmpty());
  ASSERT_EQ(none.closed.size(), 1U);
  EXPECT_EQ(none.closed[0].file, (folder / "gone").string());
}

}  // namespace
}  // namespace penumbra
