#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace penumbra {

// A field of a line, between quotes where it must be (RFC 4180).
std::string csv_field(std::string_view text);

struct CsvRow {
  int64_t line = 0;                 // where it begins, from 1
  std::vector<std::string> fields;  // without quotes, and without blanks around those that had none
  bool closed = true;               // false where a quote is left open until the end of the file
};

// Takes rows off the front of a text, which must outlive it. A byte order mark is passed over;
// lines end as on any system.
class CsvRows {
 public:
  explicit CsvRows(std::string_view text);

  std::optional<CsvRow> next();

 private:
  bool read_field(CsvRow& row);

  std::string_view text_;
  int64_t line_ = 1;
};

}  // namespace penumbra
