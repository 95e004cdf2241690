#include "penumbra/train/presets.h"

#include "penumbra/core/error.h"

namespace penumbra {
namespace {

// For two CPU cores and minutes. Batch norm's statistics and the moving average must settle
// within a few thousand steps; the network is small, and fewer unlabelled images make a step.
std::vector<Setting> quick(const PresetFacts& facts) {
  const auto side = std::max(facts.input.height, facts.input.width);
  std::vector<Setting> settings{
      {"run.backbone", side <= 32 ? "wrn_10_1" : "wrn_10_2"},
      {"run.minutes", "10"},
      {"train.lr", "0.05"},
      {"train.cosine", "0.4375"},
      {"train.weight_decay", "0.0005"},
      {"train.warm_up", "20"},
      {"train.ema_decay", "0.99"},
      {"model.bn_momentum", "0.1"},
  };
  if (facts.method == "fixmatch") settings.push_back({"method.ratio", "3"});
  return settings;
}

// As the authors trained: days on a CPU. peers' values: weights of WRN-28-8 for a hundred
// classes decay twice as fast.
std::vector<Setting> paper(const PresetFacts& facts) {
  const bool hundred = facts.dataset == "cifar100";
  return {
      {"run.backbone", hundred ? "wrn_28_8" : "wrn_28_2"},
      {"train.steps", "1048576"},
      {"train.lr", "0.03"},
      {"train.cosine", "0.4375"},
      {"train.weight_decay", hundred ? "0.001" : "0.0005"},
      {"train.ema_decay", "0.999"},
      {"train.ema_warm_up", "false"},
      {"model.bn_momentum", "0.001"},
      {"augment.mirror", "true"},
  };
}

struct Preset {
  const char* name;
  const char* summary;
  std::vector<Setting> (*settings)(const PresetFacts&);
};

const Preset kPresets[] = {
    {"paper", "the authors' settings for each dataset and method; days on a CPU", paper},
    {"quick", "minutes on two CPU cores: a small network and fast averages", quick},
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
