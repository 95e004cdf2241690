#include "penumbra/data/dataset.h"

#include <cstdlib>

#include "penumbra/data/datasets.inc"  // generated from datasets/*.cpp

namespace fs = std::filesystem;

namespace penumbra {
namespace {

// The first place that exists, else the one where `data get` would put the files, so that
// the message about what is missing names it.
fs::path find_files(std::string_view name, const Origin& origin, const fs::path& root) {
  if (origin.folder.empty()) return {};
  for (const auto& place : {root / origin.folder, root / name, fs::path(origin.system_folder)})
    if (!place.empty() && fs::is_directory(place)) return place;
  return root / origin.folder;
}

std::string recognise(const fs::path& path) {
  for (const auto& row : kDatasets) {
    Options none;
    if (row.plugin->make(none)->recognises(path)) return std::string(row.name);
  }
  return "folder";
}

bool is_name(const std::string& text) {
  for (const auto& row : kDatasets)
    if (row.name == text) return true;
  return false;
}

}  // namespace

std::unique_ptr<Dataset> make_dataset(std::string_view name, Options& options) {
  return make_plugin("dataset", kDatasets, name, options);
}

std::vector<PartInfo> list_datasets() { return list_plugins(kDatasets); }

OpenedDataset open_dataset(const std::string& name_or_path, const fs::path& root, Options options) {
  OpenedDataset opened;
  const bool named = is_name(name_or_path) && name_or_path != "folder";
  if (named) {
    Options none;
    const auto origin = make_dataset(name_or_path, none)->origin();
    const auto path = find_files(name_or_path, origin, root);
    opened.name = name_or_path;
    if (!path.empty()) options.set_default("path", path.string());
  } else {
    std::error_code ignored;
    if (!fs::is_directory(name_or_path, ignored)) {
      std::string known;
      for (const auto& row : kDatasets) known.append(" ").append(row.name);
      fail("no dataset or folder '", name_or_path,
           "': expected a folder of pictures or one of:", known);
    }
    opened.name = recognise(name_or_path);
    options.set("path", name_or_path);
  }
  opened.dataset = make_dataset(opened.name, options);
  opened.options = options.described();
  return opened;
}

fs::path data_root(const std::string& given) {
  if (!given.empty()) return given;
  if (const char* root = std::getenv("PENUMBRA_DATA"); root != nullptr && *root != 0) return root;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != 0)
    return fs::path(cache) / "penumbra";
  const char* home = std::getenv("HOME");
  return fs::path(home != nullptr ? home : "/tmp") / ".cache" / "penumbra";
}

}  // namespace penumbra
