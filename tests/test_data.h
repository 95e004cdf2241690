#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace penumbra {

// The folder of real data, or empty when there is none on this machine.
inline std::filesystem::path test_data() {
  const char* folder = std::getenv("PENUMBRA_TEST_DATA");
  return folder == nullptr ? "" : folder;
}

}  // namespace penumbra

// Real data is not part of the repository.
#define PENUMBRA_NEED_TEST_DATA()                                                            \
  if (penumbra::test_data().empty())                                                         \
  GTEST_SKIP() << "set PENUMBRA_TEST_DATA to a folder with cifar-10-batches-bin, svhn, ... " \
                  "(docs/data.md says where to get them)"
