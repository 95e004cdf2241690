#include "penumbra/data/install.h"

#include <algorithm>

#include "penumbra/core/error.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

// Links followed: an archive may hold one that leads anywhere on the machine of who unpacks it.
bool lies_in(const fs::path& path, const fs::path& folder) {
  const auto inner = fs::canonical(path), outer = fs::canonical(folder);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

}  // namespace

std::function<void(const fs::path& unpacked, const fs::path& target)> take_folder(
    std::string folder) {
  return [folder = std::move(folder)](const fs::path& unpacked, const fs::path& target) {
    const auto source = unpacked / folder;
    std::error_code ignored;
    if (!fs::is_directory(source, ignored)) fail("it holds no folder '", folder, "'");
    if (!lies_in(source, unpacked))
      fail("its folder '", folder, "' is a link to ", fs::canonical(source).string(),
           ", expected a folder of its own");
    for (const auto& entry : fs::directory_iterator(source))
      if (fs::is_regular_file(entry.symlink_status(ignored)))
        fs::rename(entry.path(), target / entry.path().filename());
  };
}

}  // namespace penumbra
