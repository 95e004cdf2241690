#pragma once
#include <filesystem>
#include <string>

#include "penumbra/data/images.h"
#include "penumbra/data/split.h"

namespace penumbra {

// A split as text: a line `index,part,file` for every image and part, the file name only for
// a folder's pictures. Reading it back gives the same split.
std::string split_text(const Split& split, const Images& train);
void write_split(const std::filesystem::path& path, const Split& split, const Images& train);

// For a folder, pictures are found by name, so that the split survives added pictures. Unknown
// pictures or parts, names of pictures where there are none, a labelled picture without a label,
// and parts that overlap are Errors.
Split read_split(const std::filesystem::path& path, const Images& train);

}  // namespace penumbra
