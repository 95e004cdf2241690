#include "penumbra/core/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "penumbra/core/error.h"

namespace penumbra {
namespace {

// The whole text as a number, or false: "0.9x", "" and "nan" are not numbers.
template <class Number>
bool parse(const std::string& text, Number& value) {
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  return parsed.ec == std::errc{} && parsed.ptr == end;
}

[[noreturn]] void reject(std::string_view key, const Options::Value& value,
                         std::string_view expected) {
  const auto source = value.source.empty() ? "" : fmt::format(" (from {})", value.source);
  fail("option '", key, "' is '", value.text, "'", source, ": expected ", expected);
}

// "a", "a or b", "a, b or c"
std::string enumerate(std::initializer_list<std::string_view> choices) {
  std::string text;
  for (auto choice = choices.begin(); choice != choices.end(); ++choice) {
    if (choice != choices.begin()) text += choice + 1 == choices.end() ? " or " : ", ";
    text += *choice;
  }
  return text;
}

template <class Number>
void read_number(const Options::Value* given, std::string_view key, Number& target, Range range,
                 std::string_view expected) {
  if (given == nullptr) return;
  Number value{};
  const bool inside = parse(given->text, value) && range.min <= static_cast<double>(value) &&
                      static_cast<double>(value) <= range.max;
  if (!inside) reject(key, *given, expected);
  target = value;
}

}  // namespace

Options::Options(std::initializer_list<std::pair<std::string, std::string>> values) {
  for (const auto& [key, text] : values) set(key, text);
}

void Options::set(std::string_view key, std::string text) {
  values_.insert_or_assign(std::string(key), Value{std::move(text), ""});
}

void Options::set_default(std::string_view key, std::string text) {
  if (!has(key)) set(key, std::move(text));
}

const Options::Value* Options::find(std::string_view key) const {
  const auto it = values_.find(key);
  return it == values_.end() ? nullptr : &it->second;
}

void Options::describe(std::string_view key, std::string value, std::string allowed,
                       std::string_view meaning, bool text) {
  described_.push_back(
      {std::string(key), std::move(value), std::move(allowed), std::string(meaning), text});
}

void Options::read(std::string_view key, double& target, Range range, std::string_view meaning) {
  const auto allowed = fmt::format("{} to {}", range.min, range.max);
  read_number(find(key), key, target, range, "a number from " + allowed);
  describe(key, fmt::format("{}", target), allowed, meaning, false);
}

void Options::read(std::string_view key, int64_t& target, Range range, std::string_view meaning) {
  const auto allowed = fmt::format("{} to {}", range.min, range.max);
  read_number(find(key), key, target, range, "a whole number from " + allowed);
  describe(key, fmt::format("{}", target), allowed, meaning, false);
}

void Options::read(std::string_view key, bool& target, std::string_view meaning) {
  if (const Value* given = find(key)) {
    if (given->text != "true" && given->text != "false") reject(key, *given, "true or false");
    target = given->text == "true";
  }
  describe(key, target ? "true" : "false", "true or false", meaning, false);
}

void Options::read(std::string_view key, std::string& target, std::string_view meaning) {
  if (const Value* given = find(key)) target = given->text;
  describe(key, target, "", meaning, true);
}

void Options::read(std::string_view key, std::filesystem::path& target, std::string_view meaning) {
  auto text = target.string();
  read(key, text, meaning);
  target = text;
}

void Options::read_choice(std::string_view key, std::string& target,
                          std::initializer_list<std::string_view> choices,
                          std::string_view meaning) {
  const auto allowed = enumerate(choices);
  if (const Value* given = find(key)) {
    if (std::find(choices.begin(), choices.end(), given->text) == choices.end())
      reject(key, *given, allowed);
    target = given->text;
  }
  describe(key, target, allowed, meaning, true);
}

void Options::reject_unknown(std::string_view owner) const {
  const auto was_read = [this](const std::string& key) {
    return std::any_of(described_.begin(), described_.end(),
                       [&](const OptionInfo& info) { return info.key == key; });
  };
  std::string unknown, known;
  for (const auto& [key, value] : values_)
    if (!value.preset && !was_read(key)) unknown += fmt::format(" '{}'", key);
  if (unknown.empty()) return;
  for (const auto& info : described_) known += fmt::format(" '{}'", info.key);
  fail(owner, " does not know", unknown,
       known.empty() ? "; it has no options" : "; it knows" + known);
}

}  // namespace penumbra
