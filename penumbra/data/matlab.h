#pragma once
#include <filesystem>

#include "penumbra/data/images.h"
#include "penumbra/data/reading.h"

namespace penumbra {

// Pictures `X` (uint8, height x width x channels x N) and labels `y` (N numbers of any class) of
// a MATLAB v5 file, as SVHN has them. Labels stay as written; those outside first .. last are
// reported.
Images read_matlab_images(const std::filesystem::path& file, int64_t first_label,
                          int64_t last_label, Reading& reading);

}  // namespace penumbra
