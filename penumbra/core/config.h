#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "penumbra/core/options.h"

namespace penumbra {

// Settings by dotted name, laid over each other: defaults < preset < file < --set.
// What is set later wins; each value remembers where it came from.
//   Config config;
//   config.read_file("my.toml");
//   config.set_argument("method.threshold=0.9");
//   auto method = make_method("fixmatch", config.section("method"));
class Config {
 public:
  void set(std::string_view name, std::string text, std::string source);
  // Of a preset: unless set, and without harm where nobody reads it.
  void set_default(std::string_view name, std::string text, std::string source);
  void set_argument(std::string_view argument);  // "a.b=c", as after --set
  void clear_section(std::string_view name);     // forget what was set under "name."
  void clear(std::string_view name);             // forget one setting
  void read_file(const std::filesystem::path& path);
  void read_text(std::string_view toml, const std::string& source);

  bool has(std::string_view name) const { return values_.count(name) != 0; }
  // What was set under "name."; the keys lose that prefix.
  Options section(std::string_view name) const;
  // Throw Error for a setting outside the given sections.
  void reject_unknown_sections(const std::vector<std::string>& known) const;

 private:
  Options::Values values_;
};

// The effective configuration as TOML, one [section] each, every value with its meaning.
// Reading it back gives the same values.
std::string to_toml(const std::vector<std::pair<std::string, std::vector<OptionInfo>>>& sections);

}  // namespace penumbra
