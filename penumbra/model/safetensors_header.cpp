#include "penumbra/model/safetensors_header.h"

#include <limits>
#include <set>

#include "penumbra/core/error.h"
#include "penumbra/core/json.h"

namespace penumbra {
namespace {

constexpr std::size_t kMostDimensions = 32;

// Takes the text piece by piece and stops at the first thing that a header cannot have, so
// that deep nesting, endless lists and repeated names cost nothing.
class HeaderReader final : public nlohmann::json_sax<Json> {
 public:
  explicit HeaderReader(const std::string& file) : file_(file) {}

  SafetensorsHeader header;

  bool start_object(std::size_t) override {
    if (level_ == 0) {
      level_ = 1;
    } else if (level_ == 1 && !name_.empty()) {
      level_ = 2;
      fields_.clear();
      if (!in_metadata()) header.entries.push_back({name_, "", {}, 0, 0});
    } else {
      reject("has an object where none belongs");
    }
    return true;
  }

  bool end_object() override {
    if (level_ == 2 && !in_metadata())
      for (const char* field : {"dtype", "shape", "data_offsets"})
        if (fields_.count(field) == 0) reject("has no '", field, "'");
    --level_;
    return true;
  }

  bool key(std::string& key) override {
    if (level_ == 1) {
      name_ = key;
      if (key.empty()) reject("has a tensor without a name");
      if (!names_.insert(key).second) reject("is there twice");
    } else {
      field_ = key;
      if (!fields_.insert(key).second) reject("has '", key, "' twice");
      const bool known = key == "dtype" || key == "shape" || key == "data_offsets";
      if (!in_metadata() && !known) reject("has an unknown field '", key, "'");
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (level_ != 2 || in_metadata() || field_ == "dtype") reject("has a list where none belongs");
    level_ = 3;
    numbers_.clear();
    return true;
  }

  bool end_array() override {
    level_ = 2;
    auto& entry = header.entries.back();
    if (field_ == "shape") {
      for (const auto number : numbers_) {
        if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
          reject("has a dimension of ", number);
        entry.shape.push_back(static_cast<int64_t>(number));
      }
    } else {
      if (numbers_.size() != 2) reject("has ", numbers_.size(), " data_offsets, expected 2");
      entry.begin = numbers_[0];
      entry.end = numbers_[1];
    }
    return true;
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (level_ != 3) reject("has the number ", value, " where none belongs");
    if (numbers_.size() == kMostDimensions)
      reject("has more than ", kMostDimensions, " numbers in '", field_, "'");
    numbers_.push_back(value);
    return true;
  }

  bool string(string_t& text) override {
    if (level_ != 2 || (!in_metadata() && field_ != "dtype")) reject("has text where none belongs");
    if (in_metadata())
      header.metadata.emplace(field_, text);
    else
      header.entries.back().type = text;
    return true;
  }

  bool number_integer(number_integer_t value) override { reject("has the number ", value); }
  bool number_float(number_float_t, const string_t& text) override {
    reject("has the number ", text, ", expected whole numbers below 2^64");
  }
  bool null() override { reject("has a null"); }
  bool boolean(bool) override { reject("has a true or false"); }
  // No JSON text holds any, but the interface wants an answer.
  bool binary(binary_t&) override { reject("has binary data"); }  // GCOVR_EXCL_LINE
  bool parse_error(std::size_t place, const std::string&,
                   const nlohmann::detail::exception&) override {
    fail(file_, ": the header is not valid JSON at its byte ", place,
         "; the file is damaged or not a safetensors file");
  }

 private:
  bool in_metadata() const { return name_ == "__metadata__"; }

  template <class... Parts>
  [[noreturn]] void reject(const Parts&... parts) const {
    fail(file_, ": ", name_.empty() ? "the header" : "'" + name_ + "'", " ", parts...);
  }

  const std::string& file_;
  int level_ = 0;  // 0 outside, 1 among the names, 2 in an entry, 3 in a list of numbers
  std::string name_, field_;
  std::set<std::string> names_, fields_;
  std::vector<uint64_t> numbers_;
};

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json, const std::string& file) {
  if (json.empty() || json.front() != '{')
    fail(file, ": the header does not begin with '{'; this is not a safetensors file");
  HeaderReader reader(file);
  Json::sax_parse(json.begin(), json.end(), &reader);
  return std::move(reader.header);
}

}  // namespace penumbra
