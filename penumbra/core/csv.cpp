#include "penumbra/core/csv.h"

#include <algorithm>

namespace penumbra {
namespace {

bool is_blank(char letter) { return letter == ' ' || letter == '\t'; }

std::string trimmed(std::string text) {
  text.erase(std::find_if_not(text.rbegin(), text.rend(), is_blank).base(), text.end());
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), is_blank));
  return text;
}

}  // namespace

std::string csv_field(std::string_view text) {
  const bool at_edge = !text.empty() && (is_blank(text.front()) || is_blank(text.back()));
  if (!at_edge && text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char letter : text) quoted.append(letter == '"' ? 2 : 1, letter);
  return quoted + '"';
}

CsvRows::CsvRows(std::string_view text) : text_(text) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text_.substr(0, 3) == kByteOrderMark) text_.remove_prefix(3);
}

std::optional<CsvRow> CsvRows::next() {
  if (text_.empty()) return {};
  CsvRow row;
  row.line = line_;
  while (read_field(row)) {
  }
  return row;
}

// Reads up to the next comma or line end; false after the last field of the row.
bool CsvRows::read_field(CsvRow& row) {
  std::string field;
  bool quoted = false, inside = false, blank = true;  // blank: nothing but blanks so far
  for (; !text_.empty(); text_.remove_prefix(1)) {
    const char letter = text_.front();
    if (letter == '\n') ++line_;
    if (inside) {
      if (letter != '"') {
        field += letter;
      } else if (text_.size() > 1 && text_[1] == '"') {
        field += '"';
        text_.remove_prefix(1);
      } else {
        inside = false;
      }
    } else if (letter == '"' && blank && !quoted) {
      quoted = inside = true;
      field.clear();
    } else if (letter == ',' || letter == '\n' || letter == '\r') {
      break;
    } else if (!quoted || !is_blank(letter)) {
      blank = blank && is_blank(letter);
      field += letter;
    }
  }
  if (inside) row.closed = false;
  row.fields.push_back(quoted ? std::move(field) : trimmed(std::move(field)));
  if (text_.empty()) return false;
  const char end = text_.front();
  text_.remove_prefix(1);
  if (end == '\r') {
    if (!text_.empty() && text_.front() == '\n') text_.remove_prefix(1);
    ++line_;
  }
  return end == ',';
}

}  // namespace penumbra
