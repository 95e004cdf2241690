#include "penumbra/core/folder_lock.h"

#include <unistd.h>

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

TEST(FolderLock, SaysWhereItCannotWrite) {
  EXPECT_THAT(error_of([] { const FolderLock lock("/nowhere/at/all"); }),
              HasSubstr("/nowhere/at/all: No such file"));
}

}  // namespace
}  // namespace penumbra
