#pragma once
#include <filesystem>
#include <string>

#include "penumbra/data/origin.h"

namespace penumbra {

// What is wrong with the files of `origin` in `folder`, or nothing: a file that is missing, or
// one with another sum than the official file. A file may also stand there gzipped, as
// NAME.gz; the sum is that of its contents, since the same contents are packed differently
// by different people.
std::string check_origin_files(const Origin& origin, const std::filesystem::path& folder);

}  // namespace penumbra
