#pragma once
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "penumbra/core/temporary_folder.h"

namespace penumbra {

// A folder of a test's own, removed with everything in it.
class TestFolder {
 public:
  const std::filesystem::path& path() const { return folder_.path(); }
  std::filesystem::path operator/(const std::string& name) const { return path() / name; }

  std::filesystem::path write(const std::string& name, std::string_view bytes) const {
    std::filesystem::create_directories((path() / name).parent_path());
    std::ofstream(path() / name, std::ios::binary) << bytes;
    return path() / name;
  }

 private:
  TemporaryFolder folder_{std::filesystem::temp_directory_path(), "penumbra-test"};
};

}  // namespace penumbra
