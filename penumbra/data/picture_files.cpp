// One fstatat per file gives kind, size and time at once; std::filesystem would ask three times.

#include "penumbra/data/picture_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include "penumbra/core/error.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

using FolderIdentity = std::pair<dev_t, ino_t>;
using Folder = std::unique_ptr<DIR, int (*)(DIR*)>;

Folder open_folder(const fs::path& path) {
  Folder folder(opendir(path.c_str()), closedir);
  if (folder == nullptr) fail("cannot open folder ", path.string(), ": ", std::strerror(errno));
  return folder;
}

// Calls visit(name, status) for everything that is not hidden and not a broken link.
template <class Visit>
void for_each_entry(const fs::path& path, Visit visit) {
  const auto folder = open_folder(path);
  const int descriptor = dirfd(folder.get());
  while (const auto* entry = readdir(folder.get())) {
    struct stat status {};
    if (entry->d_name[0] == '.' || fstatat(descriptor, entry->d_name, &status, 0) != 0) continue;
    visit(entry->d_name, status);
  }
}

std::string ending_of(std::string_view name) {
  const auto dot = name.rfind('.');
  if (dot == std::string_view::npos || name.size() - dot > 5) return {};
  std::string ending(name.substr(dot));
  for (auto& letter : ending)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return ending;
}

// Pictures of kinds that are not read.
bool has_foreign_name(std::string_view name) {
  const auto ending = ending_of(name);
  constexpr std::string_view kForeign[] = {".heic", ".heif", ".avif", ".tif", ".tiff",
                                           ".bmp",  ".gif",  ".jp2",  ".jxl", ".dng"};
  return std::find(std::begin(kForeign), std::end(kForeign), ending) != std::end(kForeign);
}

void collect(const fs::path& root, const std::string& folder, std::set<FolderIdentity>& seen,
             std::vector<PictureFile>& files, std::size_t& foreign) {
  std::vector<std::pair<std::string, FolderIdentity>> below;
  const auto prefix = folder.empty() ? folder : folder + "/";
  for_each_entry(root / folder, [&](const char* entry, const struct stat& status) {
    auto name = prefix + entry;
    if (S_ISDIR(status.st_mode))
      below.push_back({std::move(name), {status.st_dev, status.st_ino}});
    else if (S_ISREG(status.st_mode) && has_foreign_name(name))
      ++foreign;
    else if (S_ISREG(status.st_mode) && has_picture_name(name))
      files.push_back({std::move(name), -1, static_cast<uint64_t>(status.st_size),
                       status.st_mtim.tv_sec * 1000000000LL + status.st_mtim.tv_nsec});
  });
  std::sort(below.begin(), below.end());  // which of two links is followed must not vary
  for (const auto& [name, identity] : below)
    if (seen.insert(identity).second) collect(root, name, seen, files, foreign);
}

}  // namespace

bool has_picture_name(std::string_view name) {
  const auto ending = ending_of(name);
  return ending == ".jpg" || ending == ".jpeg" || ending == ".png" || ending == ".webp";
}

std::vector<PictureFile> list_pictures(const fs::path& root, const std::string& folder,
                                       std::size_t* foreign) {
  std::vector<PictureFile> files;
  std::size_t others = 0;
  struct stat status {};
  std::set<FolderIdentity> seen;
  if (stat((root / folder).c_str(), &status) == 0) seen.insert({status.st_dev, status.st_ino});
  collect(root, folder, seen, files, others);
  if (foreign != nullptr) *foreign += others;
  std::sort(files.begin(), files.end(),
            [](const auto& one, const auto& other) { return one.name < other.name; });
  return files;
}

std::vector<std::string> list_folders(const fs::path& folder) {
  std::vector<std::string> names;
  for_each_entry(folder, [&](const char* name, const struct stat& status) {
    if (S_ISDIR(status.st_mode)) names.emplace_back(name);
  });
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace penumbra
