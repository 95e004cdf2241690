#pragma once
#include <string>
#include <vector>

namespace penumbra::app {

// Rows of text as aligned columns, two spaces apart; columns of numbers are right-aligned.
// The last column is not padded, so that long texts wrap as the terminal likes.
std::string format_table(const std::vector<std::vector<std::string>>& rows);

// Between quotes where it must be (RFC 4180).
std::string csv_field(const std::string& text);

}  // namespace penumbra::app
