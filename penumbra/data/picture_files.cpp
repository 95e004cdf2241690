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

[[noreturn]] void fail_closed(const fs::path& path, int code) {
  fail("cannot open folder ", path.string(), ": ", std::strerror(code));
}

// Calls visit(name, status) for everything that is not hidden and not a dead link, of which the
// number is added to `dead_links`. Returns why the folder cannot be opened, as errno has it, or 0.
template <class Visit>
int for_each_entry(const fs::path& path, Visit visit, std::size_t* dead_links = nullptr) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), closedir);
  if (folder == nullptr) return errno;
  const int descriptor = dirfd(folder.get());
  while (const auto* entry = readdir(folder.get())) {
    struct stat status {};
    if (entry->d_name[0] == '.') continue;
    if (fstatat(descriptor, entry->d_name, &status, 0) == 0)
      visit(entry->d_name, status);
    else if (dead_links != nullptr && entry->d_type == DT_LNK)
      ++*dead_links;
  }
  return 0;
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
             std::vector<PictureFile>& files, LeftOut* left_out) {
  std::vector<std::pair<std::string, FolderIdentity>> below;
  const auto prefix = folder.empty() ? folder : folder + "/";
  const int closed = for_each_entry(
      root / folder,
      [&](const char* entry, const struct stat& status) {
        auto name = prefix + entry;
        if (S_ISDIR(status.st_mode))
          below.emplace_back(std::move(name), FolderIdentity{status.st_dev, status.st_ino});
        else if (S_ISREG(status.st_mode) && has_foreign_name(name) && left_out != nullptr)
          ++left_out->foreign;
        else if (S_ISREG(status.st_mode) && has_picture_name(name))
          files.push_back({std::move(name), -1, static_cast<uint64_t>(status.st_size),
                           status.st_mtim.tv_sec * 1000000000LL + status.st_mtim.tv_nsec});
      },
      left_out != nullptr ? &left_out->dead_links : nullptr);
  if (closed != 0) {
    // Where the process may open no more, it is not this folder that is odd.
    const bool of_its_own = closed != EMFILE && closed != ENFILE && closed != ENOMEM;
    if (left_out == nullptr || !of_its_own) fail_closed(root / folder, closed);
    left_out->closed.push_back({(root / folder).string(), "",
                                std::string("cannot open the folder: ") + std::strerror(closed)});
  }
  std::sort(below.begin(), below.end());  // which of two links is followed must not vary
  for (const auto& [name, identity] : below)
    if (seen.insert(identity).second) collect(root, name, seen, files, left_out);
}

}  // namespace

bool has_picture_name(std::string_view name) {
  const auto ending = ending_of(name);
  return ending == ".jpg" || ending == ".jpeg" || ending == ".png" || ending == ".webp";
}

std::vector<PictureFile> list_pictures(const fs::path& root, const std::string& folder,
                                       LeftOut* left_out) {
  std::vector<PictureFile> files;
  struct stat status {};
  std::set<FolderIdentity> seen;
  if (stat((root / folder).c_str(), &status) == 0) seen.insert({status.st_dev, status.st_ino});
  collect(root, folder, seen, files, left_out);
  std::sort(files.begin(), files.end(),
            [](const auto& one, const auto& other) { return one.name < other.name; });
  return files;
}

std::vector<std::string> list_folders(const fs::path& folder, std::size_t* dead_links) {
  std::vector<std::string> names;
  const auto visit = [&](const char* name, const struct stat& status) {
    if (S_ISDIR(status.st_mode)) names.emplace_back(name);
  };
  const int closed = for_each_entry(folder, visit, dead_links);
  if (closed != 0) fail_closed(folder, closed);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace penumbra
