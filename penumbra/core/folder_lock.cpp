#include "penumbra/core/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "penumbra/core/error.h"
#include "penumbra/core/file.h"

namespace penumbra {

FolderLock::FolderLock(const std::filesystem::path& folder, const std::string& name)
    : path_(folder / name) {
  // A folder from somebody else may hold a link of this name, or a pipe that waits for ever.
  descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
  if (descriptor_ < 0)
    fail("cannot write into ", folder.string(), ": ",
         errno == ELOOP ? "its " + name + " is a link, remove it" : std::strerror(errno),
         "; check the permissions, or choose another folder");
  if (struct stat status{}; fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(descriptor_);
    fail("cannot lock ", path_.string(), ": it is no regular file; remove it");
  }
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int code = errno;
    close(descriptor_);
    if (code != EWOULDBLOCK) fail("cannot lock ", path_.string(), ": ", std::strerror(code));
    fail(folder.string(), " is in use by process ", read_file(path_),
         ": wait until it ends, stop it, or choose another folder");
  }
  // Whom it belongs to is a courtesy: on a full disk the lock holds without a name.
  const auto process = std::to_string(getpid());
  const bool named =
      ftruncate(descriptor_, 0) == 0 && write(descriptor_, process.data(), process.size()) >= 0;
  static_cast<void>(named);
}

FolderLock::~FolderLock() { close(descriptor_); }

void FolderLock::check() const {
  struct stat ours {};
  struct stat there {};
  if (fstat(descriptor_, &ours) == 0 && stat(path_.c_str(), &there) == 0 &&
      ours.st_dev == there.st_dev && ours.st_ino == there.st_ino)
    return;
  fail(path_.parent_path().string(),
       " was removed or replaced while this process was using it: nothing more is written there");
}

}  // namespace penumbra
