#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "penumbra/core/error.h"
#include "penumbra/core/temporary_folder.h"

namespace penumbra::fuzz {

// Where the bytes under test become a file: in memory, since a disk would set the pace.
inline const std::filesystem::path& folder() {
  static const TemporaryFolder made("/dev/shm", "penumbra-fuzz");
  return made.path();
}

inline std::filesystem::path write(const std::string& name, const uint8_t* bytes,
                                   std::size_t size) {
  const auto path = folder() / name;
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  return path;
}

// A reader may refuse a file with an Error; whatever else it does is a finding.
template <class Read>
int check(Read read) {
  try {
    read();
  } catch (const Error&) {
    return 0;
  }
  return 0;
}

}  // namespace penumbra::fuzz
