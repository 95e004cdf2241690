#include "penumbra/core/toml.h"

#include <fmt/format.h>

#include <algorithm>

#include "penumbra/core/error.h"

namespace penumbra {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;  // a configuration has a few thousand
constexpr int kDeepest = 100;                // parts of a dotted name

// The place behind text in quotes that begins at `at`: "a", 'a', or three quotes and several lines.
std::size_t behind_quoted(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool lines = text.substr(at, 3) == three;
  const std::size_t marks = lines ? 3 : 1;
  for (at += marks; at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"') {
      ++at;
    } else if (lines ? text.substr(at, 3) == three : text[at] == quote) {
      at += marks;
      // One or two quotes more are the end of the text, which the last three follow.
      for (int i = 0; lines && i < 2 && at < text.size() && text[at] == quote; ++i) ++at;
      return at;
    } else if (!lines && text[at] == '\n') {
      return at;
    }
  }
  return text.size();
}

// toml++ follows dotted names by calling itself, and so do we: a hundred thousand dots would
// overflow the stack. Names stand before "=", in brackets and in tables within braces, whose parts
// come on top of the table's own name; a number has one dot. Where this reads a text otherwise than
// toml++, that has stopped before.
void check_names(std::string_view text, const std::string& source) {
  struct Table {
    int above, name;
  };
  std::vector<Table> tables;  // in braces, around this place
  int above = 0;              // parts of their names
  int name = 0;               // dots of the name before the last "="
  int dots = 0;               // since the last character that ends a name
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = behind_quoted(text, at);
      continue;
    }
    if (c == '#') {
      at = std::min(text.size(), text.find('\n', at));
      continue;
    }
    if (c == '.' && above + ++dots > kDeepest)
      fail(source, " line ", std::count(text.begin(), text.begin() + at, '\n') + 1,
           ": a name of more than ", kDeepest, " parts: expected a section and a setting");
    if (c == '=') name = dots;
    if (c == '{') {
      tables.push_back({above, name});
      above += name + 1;
    }
    if (c == '}' && !tables.empty()) {
      above = tables.back().above;
      name = tables.back().name;
      tables.pop_back();
    }
    if (std::string_view("=,[]{}\n").find(c) != std::string_view::npos) dots = 0;
    ++at;
  }
}

}  // namespace

toml::table parse_toml(std::string_view text, const std::string& source) {
  if (text.size() > kMostBytes)
    fail(source, " has ", text.size(), " bytes: expected a configuration of at most ", kMostBytes);
  check_names(text, source);
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
