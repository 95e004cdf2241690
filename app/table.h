#pragma once
#include <string>
#include <vector>

namespace penumbra::app {

// Rows of text as aligned columns, two spaces apart; columns of numbers are right-aligned.
// The last column is not padded, so that long texts wrap as the terminal likes.
std::string format_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace penumbra::app
