#pragma once
#include <string>

namespace penumbra {

// A field of a line, between quotes where it must be (RFC 4180).
inline std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted.append(letter == '"' ? 2 : 1, letter);
  return quoted + '"';
}

}  // namespace penumbra
