#include "penumbra/core/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "penumbra/core/error.h"
#include "penumbra/core/file.h"

namespace penumbra {

FolderLock::FolderLock(const std::filesystem::path& folder) {
  const auto path = folder / ".lock";
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0)
    fail("cannot write into ", folder.string(), ": ", std::strerror(errno),
         "; check the permissions, or choose another folder");
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int code = errno;
    close(descriptor_);
    if (code != EWOULDBLOCK) fail("cannot lock ", path.string(), ": ", std::strerror(code));
    fail(folder.string(), " is in use by process ", read_file(path),
         ": wait until it ends, stop it, or choose another folder");
  }
  // Whom it belongs to is a courtesy: on a full disk the lock holds without a name.
  const auto process = std::to_string(getpid());
  const bool named =
      ftruncate(descriptor_, 0) == 0 && write(descriptor_, process.data(), process.size()) >= 0;
  static_cast<void>(named);
}

FolderLock::~FolderLock() { close(descriptor_); }

}  // namespace penumbra
