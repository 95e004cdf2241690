#pragma once
#include <filesystem>
#include <string>

namespace penumbra {

// Says that a folder is in use: a second process that wants to write there gets an Error that names
// the first. The kernel holds the lock, so that it ends with the process, however that ends.
class FolderLock {
 public:
  // Those with other names for their file do not know of each other.
  explicit FolderLock(const std::filesystem::path& folder, const std::string& name = ".lock");
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  // Error where the folder was removed or put elsewhere meanwhile: another one of its name, which
  // may belong to another process, must not be written to.
  void check() const;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace penumbra
