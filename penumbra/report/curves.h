#pragma once
#include <filesystem>

#include "penumbra/core/json.h"

namespace penumbra {

// What a run reported while it trained.
struct Curves {
  Json series;  // [{"name", "steps": [], "values": []}]
  Json last;    // every number's last value, by name
};

// From metrics.jsonl; lines that are cut short are left out.
Curves read_curves(const std::filesystem::path& metrics);

}  // namespace penumbra
