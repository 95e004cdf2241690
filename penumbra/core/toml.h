#pragma once
#include <toml++/toml.h>

#include <string>
#include <string_view>
#include <vector>

namespace penumbra {

// Throws Error with the line where the text is no TOML. `source` is what messages call it.
toml::table parse_toml(std::string_view text, const std::string& source);

// "my.toml line 3"
std::string toml_place(const toml::node& node, const std::string& source);

// A value as the text that --set takes; a list's items are separated by commas.
std::string toml_text(const toml::node& node, const std::string& source);

struct TomlEntry {
  std::string name;  // with dots
  const toml::node* node;
};

// The values of a table and of those in it, in the order of the file, which toml++ does not keep:
// "run.seed" = 1, run.seed = 1, and seed = 1 below [run] are alike.
std::vector<TomlEntry> toml_entries(const toml::table& table);

}  // namespace penumbra
