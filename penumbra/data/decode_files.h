#pragma once
#include <filesystem>
#include <functional>
#include <vector>

#include "penumbra/data/packed.h"
#include "penumbra/data/resize.h"

namespace penumbra {

// Keeps `count` pictures from `slot` on. Called from several threads, also twice for a slot:
// the later call counts.
using StorePictures =
    std::function<void(std::size_t slot, const uint8_t* pixels, std::size_t count)>;

// Decodes all pictures of `layout`, part after part, into slots 0, 1, 2, ... of `shape`, with
// reading.threads threads. Those that cannot be decoded go to reading.skipped, leave no gap,
// are taken out of `layout`, and are returned. Throws Error when the user interrupts.
std::vector<Problem> decode_files(const std::filesystem::path& folder, const PictureShape& shape,
                                  Fit fit, FolderLayout& layout, Reading& reading,
                                  const StorePictures& store);

// The height and width that all readable pictures share; 0 and 0 where they differ, or one is
// larger than `largest`. `passing` becomes true where one could not be looked at for a reason that
// may be gone the next time, as in Problem: the answer may be another then.
PictureShape common_shape(const std::filesystem::path& folder, const FolderLayout& layout,
                          int64_t largest, int threads, bool* passing = nullptr);

}  // namespace penumbra
