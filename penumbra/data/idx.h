#pragma once
#include <filesystem>
#include <string>

#include "penumbra/data/images.h"
#include "penumbra/data/reading.h"

namespace penumbra {

// The pair of idx files that MNIST and its successors come as, plain or gzipped:
// FOLDER/PREFIX-images-idx3-ubyte[.gz] and FOLDER/PREFIX-labels-idx1-ubyte[.gz].
Images read_idx_pair(const std::filesystem::path& folder, const std::string& prefix,
                     int64_t classes, Reading& reading);

// Does the folder hold such a training set? The two sets have the same file names, so a folder
// is Fashion-MNIST when it is called so ("fashion-mnist", "FashionMNIST/raw").
bool has_idx_files(const std::filesystem::path& folder);
bool is_fashion(const std::filesystem::path& folder);

}  // namespace penumbra
