#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "penumbra/data/origin.h"

namespace penumbra {

// Says in one line what happens now.
using Report = std::function<void(const std::string&)>;

// Gets the files of the dataset `name` into its folder below `root` and says where they are.
// Each way of origin.downloads is tried until one gives files with the right sums; the folder
// appears whole or not at all. Files that are already there are checked and left alone.
// Error when they are other files, and, with all that was tried and what a person can do,
// when no way works.
std::filesystem::path get_dataset(std::string_view name, const Origin& origin,
                                  const std::filesystem::path& root, const Report& report);

}  // namespace penumbra
