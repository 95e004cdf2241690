#pragma once
#include <filesystem>
#include <string_view>

namespace penumbra {

// A folder of our own that is gone, with all in it, when the object is. Made in `parent`, so
// that what was made there can be renamed into place beside it.
class TemporaryFolder {
 public:
  TemporaryFolder(const std::filesystem::path& parent, std::string_view name);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace penumbra
