#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

// Compiled once, in json.cpp: every file would otherwise spend seconds on it.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace penumbra {

// Keys keep the order in which they were written, so that people can read the output.
using Json = nlohmann::ordered_json;

// The JSON text, on one line or indented. Bytes that are not UTF-8, as names of files and folders
// may have, become replacement characters: nobody's picture stops the rest.
std::string json_text(const Json& json, int indent = -1);

// The value of a text from a file. Throws Error where it is no JSON, nested so deeply that copying
// it would overflow the stack, or an object has so many keys that looking each one up takes
// minutes.
Json parse_json(std::string_view text);

// A line of a file of JSON lines: its object, or nothing where it is none, as a crash may leave it.
std::optional<Json> parse_json_line(std::string_view line);

}  // namespace penumbra
