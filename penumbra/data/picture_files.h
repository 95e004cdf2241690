#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace penumbra {

// A picture file as a scan finds it; it has not been opened.
struct PictureFile {
  std::string name;  // relative to the dataset's folder, with '/'
  int64_t label = -1;
  uint64_t size = 0;     // bytes
  int64_t modified = 0;  // nanoseconds since 1970
};

// Does the name end in .jpg, .jpeg, .png or .webp, in any case?
bool has_picture_name(std::string_view name);

// The pictures below root/folder at any depth, by name. Hidden files and files with other
// endings are passed over, and `foreign` counts those of them that are pictures of another kind;
// links are followed, and each folder is read once, so that links in a circle end.
std::vector<PictureFile> list_pictures(const std::filesystem::path& root, const std::string& folder,
                                       std::size_t* foreign = nullptr);

// The folders directly in `folder`, by name, without hidden ones.
std::vector<std::string> list_folders(const std::filesystem::path& folder);

}  // namespace penumbra
