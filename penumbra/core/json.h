#pragma once
#include <nlohmann/json.hpp>

namespace penumbra {

// Keys keep the order in which they were written, so that people can read the output.
using Json = nlohmann::ordered_json;

}  // namespace penumbra
