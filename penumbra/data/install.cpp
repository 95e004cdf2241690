#include "penumbra/data/install.h"

#include "penumbra/core/error.h"

namespace fs = std::filesystem;

namespace penumbra {

std::function<void(const fs::path& unpacked, const fs::path& target)> take_folder(
    std::string folder) {
  return [folder = std::move(folder)](const fs::path& unpacked, const fs::path& target) {
    const auto source = unpacked / folder;
    if (!fs::is_directory(source)) fail("it holds no folder '", folder, "'");
    for (const auto& entry : fs::directory_iterator(source))
      if (entry.is_regular_file() && !entry.is_symlink())
        fs::rename(entry.path(), target / entry.path().filename());
  };
}

}  // namespace penumbra
