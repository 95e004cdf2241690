#pragma once
#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "penumbra/core/config.h"
#include "penumbra/data/dataset.h"

namespace penumbra::app {

// What every command that reads data takes: which data, where it is kept, how it is read.
struct DataOptions {
  std::string data;  // a dataset's name or a path
  std::string root;
  std::string labels_file;
  int64_t size = 0;
  int threads = 0;
  bool strict = false;
  std::vector<std::string> settings;  // --set data.key=value

  void add_to(CLI::App& command);

  // The --set arguments; one outside the sections is an Error.
  Config config(const std::vector<std::string>& sections) const;
  OpenedDataset open(const Config& config) const;
  Reading reading(const OpenedDataset& opened) const;
};

}  // namespace penumbra::app
