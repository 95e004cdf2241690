#include "penumbra/core/config.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "penumbra/core/json.h"
#include "penumbra/core/toml.h"
#include "penumbra/core/utf8.h"

namespace penumbra {
namespace {

// In quotes as JSON has them, which TOML reads alike but for one character. toml++ would choose a
// form that ends early where the text holds its quotes.
std::string as_toml_string(std::string_view text) {
  auto quoted = json_text(std::string(text));
  for (auto at = quoted.find('\x7f'); at != std::string::npos; at = quoted.find('\x7f', at))
    quoted.replace(at, 1, "\\u007F");
  return quoted;
}

}  // namespace

void Config::set(std::string_view name, std::string text, std::string source) {
  if (name.find('.') == std::string_view::npos || name.front() == '.' || name.back() == '.')
    fail("setting '", name, "' (from ", source, ") has no section: expected a name like ",
         "method.threshold or train.steps");
  // It would come back as other text from the run's config.toml.
  if (!is_utf8(text))
    fail("setting '", name, "' (from ", source, ") is '", text,
         "', which is not UTF-8: expected text that is; rename the file or folder");
  values_[std::string(name)] = {std::move(text), std::move(source)};
}

void Config::set_default(std::string_view name, std::string text, std::string source) {
  if (has(name)) return;
  set(name, std::move(text), std::move(source));
  values_.find(name)->second.preset = true;
}

void Config::set_argument(std::string_view argument) {
  const auto equals = argument.find('=');
  if (equals == std::string_view::npos || equals == 0)
    fail("--set ", argument, ": expected name=value, such as method.threshold=0.9");
  set(argument.substr(0, equals), std::string(argument.substr(equals + 1)), "--set");
}

void Config::clear_section(std::string_view name) {
  const auto prefix = std::string(name) + '.';
  auto value = values_.lower_bound(prefix);
  while (value != values_.end() && value->first.rfind(prefix, 0) == 0) value = values_.erase(value);
}

void Config::clear(std::string_view name) {
  if (const auto found = values_.find(name); found != values_.end()) values_.erase(found);
}

void Config::read_file(const std::filesystem::path& path) {
  read_text(MappedFile(path).text(), path.string());
}

void Config::read_text(std::string_view toml, const std::string& source) {
  const auto table = parse_toml(toml, source);
  for (const auto& [name, node] : toml_entries(table))
    set(name, toml_text(*node, source), toml_place(*node, source));
}

Options Config::section(std::string_view name) const {
  const auto prefix = std::string(name) + ".";
  Options::Values part;
  for (const auto& [key, value] : values_)
    if (key.compare(0, prefix.size(), prefix) == 0) part[key.substr(prefix.size())] = value;
  return Options(std::move(part));
}

void Config::reject_unknown_sections(const std::vector<std::string>& known) const {
  for (const auto& [key, value] : values_) {
    const auto name = key.substr(0, key.find('.'));
    if (std::find(known.begin(), known.end(), name) == known.end())
      fail("setting '", key, "' (from ", value.source,
           ") is in no known section; there are: ", fmt::format("{}", fmt::join(known, " ")));
  }
}

std::string to_toml(const std::vector<std::pair<std::string, std::vector<OptionInfo>>>& sections) {
  std::string out;
  for (const auto& [name, options] : sections) {
    out += fmt::format("{}[{}]\n", out.empty() ? "" : "\n", name);
    for (const auto& option : options)
      out += fmt::format("{} = {}  # {}\n", option.key,
                         option.text ? as_toml_string(option.value) : option.value, option.meaning);
  }
  return out;
}

}  // namespace penumbra
