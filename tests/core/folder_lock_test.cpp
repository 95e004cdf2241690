#include "penumbra/core/folder_lock.h"

#include <sys/stat.h>
#include <unistd.h>

#include "penumbra/core/file.h"
#include "tests/expect_error.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

TEST(FolderLock, KeepsASecondOneOutUntilItIsGone) {
  const TestFolder folder;
  {
    const FolderLock lock(folder.path());
    EXPECT_THAT(error_of([&] { const FolderLock second(folder.path()); }),
                HasSubstr("in use by process " + std::to_string(getpid())));
  }
  const FolderLock again(folder.path());
}

TEST(FolderLock, OfAnotherNameIsAnother) {
  const TestFolder folder;
  const FolderLock lock(folder.path());
  const FolderLock other(folder.path(), ".rows.lock");
  EXPECT_THAT(error_of([&] { const FolderLock second(folder.path(), ".rows.lock"); }),
              HasSubstr("in use by process"));
}

TEST(FolderLock, SaysWhereItCannotWrite) {
  EXPECT_THAT(error_of([] { const FolderLock lock("/nowhere/at/all"); }),
              HasSubstr("/nowhere/at/all: No such file"));
}

TEST(FolderLock, FollowsNoLinkAndWaitsForNoPipe) {
  const TestFolder folder;
  const auto mine = folder.write("mine", "mine");
  std::filesystem::create_symlink(mine, folder / ".lock");
  EXPECT_THAT(error_of([&] { const FolderLock lock(folder.path()); }),
              HasSubstr("its .lock is a link, remove it"));
  EXPECT_EQ(read_file(mine), "mine");
  std::filesystem::remove(folder / ".lock");
  ASSERT_EQ(mkfifo((folder / ".lock").c_str(), 0600), 0);
  EXPECT_THAT(error_of([&] { const FolderLock lock(folder.path()); }),
              HasSubstr("it is no regular file"));
}

TEST(FolderLock, NoticesThatItsFolderIsAnother) {
  const TestFolder folder;
  const auto place = folder / "run";
  std::filesystem::create_directory(place);
  const FolderLock lock(place);
  lock.check();
  std::filesystem::remove_all(place);
  EXPECT_THAT(error_of([&] { lock.check(); }), HasSubstr("was removed or replaced"));
  std::filesystem::create_directory(place);
  const FolderLock other(place);
  other.check();
  EXPECT_THAT(error_of([&] { lock.check(); }), HasSubstr("was removed or replaced"));
}

}  // namespace
}  // namespace penumbra
