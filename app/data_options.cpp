#include "app/data_options.h"

#include "penumbra/core/parallel.h"

namespace penumbra::app {

void DataOptions::add_to(CLI::App& command) {
  command.add_option("DATA", data, "a dataset's name or a folder")->required();
  command.add_option("--data-root", root,
                     "where datasets are kept [PENUMBRA_DATA, else the user's cache folder]");
  command.add_option("--size", size, "resize a folder's pictures to S x S")
      ->check(CLI::Range(1, 4096));
  command.add_option("--labels-file", labels_file, "labels of a folder's pictures: file,label");
  command.add_option("--threads", threads, "threads to read with [all processors]")
      ->check(CLI::Range(1, 4096));
  command.add_flag("--strict", strict, "an unreadable picture is an error, not skipped");
  command.add_option("--set", settings, "any other option, such as data.fit=stretch")
      ->allow_extra_args(false);
}

Config DataOptions::config(const std::vector<std::string>& sections) const {
  Config config;
  for (const auto& setting : settings) config.set_argument(setting);
  config.reject_unknown_sections(sections);
  return config;
}

OpenedDataset DataOptions::open(const Config& config) const {
  auto options = config.section("data");
  if (size != 0) options.set("size", std::to_string(size));
  if (!labels_file.empty()) options.set("labels_file", labels_file);
  return open_dataset(data, data_root(root), std::move(options));
}

Reading DataOptions::reading(const OpenedDataset& opened) const {
  Reading reading;
  reading.strict = strict;
  reading.threads = threads > 0 ? threads : processor_count();
  reading.cache = data_root(root) / "packed";
  reading.remedy = remedy_of(opened);
  return reading;
}

}  // namespace penumbra::app
