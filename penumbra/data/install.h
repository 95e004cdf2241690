#pragma once
#include <filesystem>
#include <functional>
#include <string>

namespace penumbra {

// Ways to fill Download::install.

// Takes every file of `folder` in what was unpacked, as it is:
// take_folder("cifar-10-batches-bin"), take_folder("package/data"), take_folder("."). Links are not
// taken, and Error where the folder lies behind one that leads out of what was unpacked.
std::function<void(const std::filesystem::path& unpacked, const std::filesystem::path& target)>
take_folder(std::string folder);

}  // namespace penumbra
