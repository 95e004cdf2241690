#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "penumbra/core/plugin.h"
#include "penumbra/data/images.h"
#include "penumbra/data/origin.h"
#include "penumbra/data/reading.h"

namespace penumbra {

// A named collection of pictures with their classes. Making one reads nothing: files are
// opened by the functions below, and what is wrong with them goes to `reading`.
class Dataset {
 public:
  virtual ~Dataset() = default;

  virtual std::vector<std::string> classes(Reading& reading) const = 0;
  virtual Images train(Reading& reading) const = 0;         // label kUnlabelled where there is none
  virtual Images test(Reading& reading) const = 0;          // empty where the data has no test set
  virtual Images validation(Reading&) const { return {}; }  // where the data brings its own

  // Is this folder laid out as the official release of this dataset?
  virtual bool recognises(const std::filesystem::path&) const { return false; }
  // Where its files come from; empty for a person's own pictures.
  virtual Origin origin() const { return {}; }
  // Is a mirrored picture still of the same class? Not for digits.
  virtual bool mirrors() const { return true; }
};

using DatasetPlugin = Plugin<Dataset>;

// The dataset called `name`, its files under options' "path". `options` keeps what was read.
std::unique_ptr<Dataset> make_dataset(std::string_view name, Options& options);
std::vector<PartInfo> list_datasets();

// What a person typed, a dataset's name or a path, made into a dataset.
struct OpenedDataset {
  std::string name;   // of the dataset: "cifar10", "folder"
  std::string place;  // what opens it again from any folder: a dataset's name, or a whole path
  std::unique_ptr<Dataset> dataset;
  std::vector<OptionInfo> options;  // every effective value, with whole paths
};

// Where the files of a benchmark are: below `root`, or where the system's package puts them. If
// they are nowhere, the folder where `penumbra data get` would put them. Empty for a dataset
// without files.
std::filesystem::path find_dataset(const std::string& name, const std::filesystem::path& root);

// A name is looked for by find_dataset; a path is asked which dataset it holds, and is a
// `folder` of pictures when it is none of the benchmarks.
OpenedDataset open_dataset(const std::string& name_or_path, const std::filesystem::path& root,
                           Options options = {});

// For Reading::remedy; empty for what nobody can fetch.
std::string remedy_of(const OpenedDataset& opened);

// Where data is kept: `given` (--data-root), else PENUMBRA_DATA, else the user's cache folder.
std::filesystem::path data_root(const std::string& given);

}  // namespace penumbra
