#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace penumbra {

// Inclusive bounds of a number.
struct Range {
  double min, max;
};

// What is known of one option after it was read: enough to list it, and to
// write the effective configuration back.
struct OptionInfo {
  std::string key;
  std::string value;    // as it stands after reading: the default, or what was given
  std::string allowed;  // "0 to 1", "true or false", "fixmatch, simple or usb"; empty for any text
  std::string meaning;
  bool text = false;  // written with quotes in TOML
};

// `key = value` settings that remember which keys were asked for, so that a
// misspelt key is an error instead of a silently ignored wish.
class Options {
 public:
  struct Value {
    std::string text;
    std::string source;  // "--set", "my.toml line 3"; empty when set by the program
    // A preset's: no error where the part, as its other options have it, does not ask for it.
    bool preset = false;
  };
  using Values = std::map<std::string, Value, std::less<>>;

  Options() = default;
  explicit Options(Values values) : values_(std::move(values)) {}
  Options(std::initializer_list<std::pair<std::string, std::string>> values);

  // Overwrite `target` if `key` was given; throw Error if it is malformed or not allowed.
  void read(std::string_view key, double& target, Range range, std::string_view meaning);
  void read(std::string_view key, int64_t& target, Range range, std::string_view meaning);
  void read(std::string_view key, bool& target, std::string_view meaning);
  void read(std::string_view key, std::string& target, std::string_view meaning);
  void read(std::string_view key, std::filesystem::path& target, std::string_view meaning);
  void read_choice(std::string_view key, std::string& target,
                   std::initializer_list<std::string_view> choices, std::string_view meaning);

  void set(std::string_view key, std::string text);
  void set_default(std::string_view key, std::string text);  // unless it was given
  bool has(std::string_view key) const { return find(key) != nullptr; }

  // Throw Error naming every given key that nobody read, and those that somebody did.
  void reject_unknown(std::string_view owner) const;

  // Every option read so far, in the order of reading.
  const std::vector<OptionInfo>& described() const { return described_; }

 private:
  const Value* find(std::string_view key) const;
  void describe(std::string_view key, std::string value, std::string allowed,
                std::string_view meaning, bool text);

  Values values_;
  std::vector<OptionInfo> described_;
};

}  // namespace penumbra
