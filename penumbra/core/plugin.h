#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "penumbra/core/error.h"
#include "penumbra/core/options.h"

namespace penumbra {

// What a file in a plug-in folder exports: one line for `penumbra list`, and how to build it.
// Context is what the parts of one kind need beside their options (a backbone: the input's shape).
template <class Interface, class... Context>
struct Plugin {
  std::string_view summary;
  std::unique_ptr<Interface> (*make)(Options&, const Context&...);
};

template <class Interface, class Implementation, class... Context>
constexpr Plugin<Interface, Context...> plugin(std::string_view summary) {
  return {summary, [](Options& options, const Context&... context) -> std::unique_ptr<Interface> {
            return std::make_unique<Implementation>(options, context...);
          }};
}

// One row of the table CMake writes from the file names of a plug-in folder.
template <class Plugin>
struct PluginRow {
  std::string_view name;
  std::string_view about;  // the comment at the top of its file
  const Plugin* plugin;
};

// A part as `penumbra list` shows it.
struct PartInfo {
  std::string name, summary;
  std::string about = {};  // a paragraph
};

template <class Row, std::size_t n>
const Row& find_plugin(std::string_view kind, const Row (&table)[n], std::string_view name) {
  std::string known;
  for (const auto& row : table) {
    if (row.name == name) return row;
    known.append(" ").append(row.name);
  }
  fail("no ", kind, " '", name, "'; there are:", known);
}

// Builds the part called `name`; an option that it did not read is an error. `options` keeps
// what was read, for the listing and for the effective configuration.
template <class Row, std::size_t n, class... Context>
auto make_plugin(std::string_view kind, const Row (&table)[n], std::string_view name,
                 Options& options, const Context&... context) {
  auto made = find_plugin(kind, table, name).plugin->make(options, context...);
  options.reject_unknown(std::string(kind).append(" '").append(name).append("'"));
  return made;
}

template <class Row, std::size_t n>
std::vector<PartInfo> list_plugins(const Row (&table)[n]) {
  std::vector<PartInfo> parts;
  for (const auto& row : table)
    parts.push_back(
        {std::string(row.name), std::string(row.plugin->summary), std::string(row.about)});
  return parts;
}

}  // namespace penumbra
