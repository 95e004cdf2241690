#pragma once
#include <nlohmann/json.hpp>

// Compiled once, in json.cpp: every file would otherwise spend seconds on it.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace penumbra {

// Keys keep the order in which they were written, so that people can read the output.
using Json = nlohmann::ordered_json;

}  // namespace penumbra
