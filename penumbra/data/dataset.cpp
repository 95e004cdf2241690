#include "penumbra/data/dataset.h"

#include <cstdlib>

#include "penumbra/data/datasets.inc"  // generated from datasets/*.cpp

namespace fs = std::filesystem;

namespace penumbra {
namespace {

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

std::string path_of(Options options) {
  std::string path;
  options.read("path", path, "");
  return path;
}

std::string known_names() {
  std::string names;
  for (const auto& row : kDatasets) names.append(names.empty() ? "" : " ").append(row.name);
  return names;
}

}  // namespace

std::unique_ptr<Dataset> make_dataset(std::string_view name, Options& options) {
  return make_plugin("dataset", kDatasets, name, options);
}

std::vector<PartInfo> list_datasets() { return list_plugins(kDatasets); }

fs::path find_dataset(const std::string& name, const fs::path& root) {
  Options none;
  const auto origin = make_dataset(name, none)->origin();
  if (origin.folder.empty()) return {};
  std::error_code ignored;
  for (const auto& place : {root / origin.folder, root / name, fs::path(origin.system_folder)})
    if (!place.empty() && fs::is_directory(place, ignored)) return place;
  return root / origin.folder;
}

OpenedDataset open_dataset(const std::string& name_or_path, const fs::path& root, Options options) {
  OpenedDataset opened;
  std::error_code ignored;
  if (is_name(name_or_path)) {
    opened.name = opened.place = name_or_path;
    const auto path = find_dataset(name_or_path, root);
    if (!path.empty() && !options.has("path")) {
      if (!fs::is_directory(path, ignored))
        fail("no folder ", path.string(), ": 'penumbra data get ", name_or_path,
             "' fetches it or says where to find it");
      options.set("path", path.string());
    }
  } else {
    if (!fs::is_directory(name_or_path, ignored))
      fail("no dataset or folder '", name_or_path,
           "': expected a folder of pictures or one of: ", known_names());
    if (std::error_code closed; fs::directory_iterator(name_or_path, closed), closed)
      fail("cannot open folder ", name_or_path, ": ", closed.message(), "; check the permissions");
    opened.name = recognise(name_or_path);
    opened.place = lasting_path(name_or_path);
    options.set_default("path", name_or_path);
    if (const auto path = path_of(options); !fs::equivalent(path, name_or_path, ignored))
      fail("the option 'path' is ", path, " and the data is ", name_or_path,
           ": expected one of them");
  }
  opened.dataset = make_dataset(opened.name, options);
  opened.options = options.described();
  for (auto& option : opened.options)
    if ((option.key == "path" || option.key == "labels_file") && !option.value.empty())
      option.value = lasting_path(option.value);
  return opened;
}

std::string remedy_of(const OpenedDataset& opened) {
  if (opened.dataset->origin().folder.empty()) return {};
  return "'penumbra data get " + opened.name + "' fetches it or says where to find it";
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
