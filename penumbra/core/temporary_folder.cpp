#include "penumbra/core/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "penumbra/core/error.h"

namespace fs = std::filesystem;

namespace penumbra {

TemporaryFolder::TemporaryFolder(const fs::path& parent, std::string_view name) {
  std::error_code code;
  fs::create_directories(parent, code);
  if (code) fail("cannot make the folder ", parent.string(), ": ", code.message());
  // Absolute, since programs run in other folders; hidden, so that a folder left by a killed
  // process is not taken for data.
  auto place =
      (fs::absolute(parent) / ("." + std::string(name) + "-" + std::string(6, 'X'))).string();
  if (mkdtemp(place.data()) == nullptr)
    fail("cannot make a folder in ", parent.string(), ": ", std::strerror(errno));
  path_ = place;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace penumbra
