#include "penumbra/train/presets.h"

#include "penumbra/core/error.h"
#include "penumbra/train/preset_settings.h"

namespace penumbra {
namespace {

struct Preset {
  const char* name;
  const char* summary;
  std::vector<Setting> (*settings)(const PresetFacts&);
};

const Preset kPresets[] = {
    {"paper",
     "the authors' settings for each dataset and method; two days to sixteen months on two CPU "
     "cores",
     paper_settings},
    {"quick", "minutes on two CPU cores: a small network and fast averages", quick_settings},
};

}  // namespace

std::vector<Setting> preset_settings(const PresetFacts& facts) {
  std::string known;
  for (const auto& preset : kPresets) {
    if (facts.preset == preset.name) return preset.settings(facts);
    known.append(" ").append(preset.name);
  }
  fail("no preset '", facts.preset, "'; there are:", known);
}

std::vector<PartInfo> list_presets() {
  std::vector<PartInfo> parts;
  for (const auto& preset : kPresets) parts.push_back({preset.name, preset.summary});
  return parts;
}

}  // namespace penumbra
