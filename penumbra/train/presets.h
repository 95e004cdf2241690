#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "penumbra/core/plugin.h"
#include "penumbra/model/backbone.h"

namespace penumbra {

// What a preset may know of the run it is for.
struct PresetFacts {
  std::string preset, method, dataset, backbone, policy;  // backbone: empty where left open
  InputShape input;
  int64_t classes = 0;
  std::optional<double> minutes = std::nullopt;  // the budget, 0 where it is steps; none: left open
  double cores = 1;                              // that the machine is worth: machine_speed.h
};

struct Setting {
  std::string name, value;  // "train.lr", "0.03"
};

// The settings of a preset, for everything that the user left open. Throws Error for a preset
// that does not exist.
std::vector<Setting> preset_settings(const PresetFacts& facts);

std::vector<PartInfo> list_presets();

}  // namespace penumbra
