#include "app/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/tell.h"

namespace penumbra::app {
namespace {

// Characters as a terminal counts them: UTF-8 continuation bytes take no column.
std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

bool is_number(const std::string& text) {
  return text.find_first_of("0123456789") != std::string::npos &&
         text.find_first_not_of("0123456789.,-+%e ") == std::string::npos;
}

}  // namespace

std::string format_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> width;
  std::vector<bool> numbers;  // is everything below the head of this column a number?
  for (std::size_t r = 0; r < rows.size(); ++r) {
    width.resize(std::max(width.size(), rows[r].size()), 0);
    numbers.resize(width.size(), true);
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      width[c] = std::max(width[c], columns(rows[r][c]));
      if (r > 0 && !is_number(rows[r][c])) numbers[c] = false;
    }
  }
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string padding(width[c] - columns(row[c]), ' ');
      const bool last = c + 1 == row.size();
      out += numbers[c] ? padding + row[c] : row[c] + (last ? "" : padding);
      out += last ? "\n" : "  ";
    }
  }
  return printable(out);
}

}  // namespace penumbra::app
