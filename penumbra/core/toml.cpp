#include "penumbra/core/toml.h"

#include <fmt/format.h>

#include <algorithm>

#include "penumbra/core/error.h"

namespace penumbra {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;  // a configuration has a few thousand
constexpr int kDeepest = 100;                // parts of a dotted name

// toml++ follows dotted names by calling itself, and so do we: a line of a hundred thousand dots
// would overflow the stack.
void check_size(std::string_view text, const std::string& source) {
  if (text.size() > kMostBytes)
    fail(source, " has ", text.size(), " bytes: expected a configuration of at most ", kMostBytes);
  int line = 1, dots = 0;
  bool in_name = true;
  for (const char c : text) {
    if (c == '\n') {
      ++line;
      dots = 0;
    }
    // Names end at "=" or "]"; numbers and text behind may have as many dots as they like.
    if (c == '\n' || c == '=' || c == ']') in_name = c == '\n';
    if (in_name && c == '.' && ++dots > kDeepest)
      fail(source, " line ", line, ": a name of more than ", kDeepest, " parts");
  }
}

}  // namespace

toml::table parse_toml(std::string_view text, const std::string& source) {
  check_size(text, source);
  try {
    return toml::parse(text, source);
  } catch (const toml::parse_error& error) {
    fail(source, " line ", error.source().begin.line, ": ", error.description());
  }
}

std::string toml_place(const toml::node& node, const std::string& source) {
  return fmt::format("{} line {}", source, node.source().begin.line);
}

std::string toml_text(const toml::node& node, const std::string& source) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  const auto* list = node.as_array();
  if (list == nullptr)
    fail(toml_place(node, source),
         ": this is a date, a time or a table: expected text, a number, true, false or a list");
  std::string joined;
  for (const auto& item : *list) {
    if (!joined.empty()) joined += ',';
    joined += toml_text(item, source);
  }
  return joined;
}

std::vector<TomlEntry> toml_entries(const toml::table& table) {
  std::vector<TomlEntry> found;
  const auto visit = [&](const auto& self, const toml::table& part,
                         const std::string& prefix) -> void {
    for (const auto& [key, node] : part) {
      const auto name = prefix + std::string(key.str());
      if (const auto* inner = node.as_table())
        self(self, *inner, name + ".");
      else
        found.push_back({name, &node});
    }
  };
  visit(visit, table, "");
  std::sort(found.begin(), found.end(), [](const TomlEntry& a, const TomlEntry& b) {
    const auto &left = a.node->source().begin, &right = b.node->source().begin;
    return left.line != right.line ? left.line < right.line : left.column < right.column;
  });
  return found;
}

}  // namespace penumbra
