#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "penumbra/data/reading.h"

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

// What a listing leaves out.
struct LeftOut {
  std::size_t foreign = 0;      // pictures of kinds that are not read
  std::size_t dead_links = 0;   // that lead nowhere
  std::vector<Problem> closed;  // folders that cannot be opened
};

// The pictures below root/folder at any depth, by name. Hidden files and files with other
// endings are passed over; links are followed, and each folder is read once, so that links in a
// circle end. What is left out is added to `left_out`; without that a folder that cannot be opened
// is an Error, as it always is where the process may open no more.
std::vector<PictureFile> list_pictures(const std::filesystem::path& root, const std::string& folder,
                                       LeftOut* left_out = nullptr);

// The folders directly in `folder`, by name, without hidden ones. Links that lead nowhere are added
// to `dead_links`.
std::vector<std::string> list_folders(const std::filesystem::path& folder,
                                      std::size_t* dead_links = nullptr);

}  // namespace penumbra
