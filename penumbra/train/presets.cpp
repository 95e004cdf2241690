#include "penumbra/train/presets.h"

#include "penumbra/core/error.h"

namespace penumbra {
namespace {

void append(std::vector<Setting>& settings, std::initializer_list<Setting> more) {
  settings.insert(settings.end(), more);
}

// For two CPU cores and minutes. Batch norm's statistics and the moving average must settle
// within a few thousand steps; the network is small, and one unlabelled image for each labelled one
// makes a step. With few labels even these are worth strong views. Chosen on validation images of
// Fashion-MNIST (docs/results.md).
std::vector<Setting> quick(const PresetFacts& facts) {
  const auto side = std::max(facts.input.height, facts.input.width);
  std::vector<Setting> settings{
      {"run.backbone", side <= 32 ? "wrn_10_1" : "wrn_10_2"},
      {"run.minutes", "10"},
      {"train.lr", "0.1"},
      {"train.cosine", "0.4375"},
      {"train.weight_decay", "0.0005"},
      {"train.warm_up", "20"},
      {"train.ema_decay", "0.99"},
      {"model.bn_momentum", "0.1"},
  };
  append(settings, {{"method.labelled", "strong"}});
  if (facts.method == "fixmatch")
    append(settings, {{"method.ratio", "1"}, {"method.threshold", "0.8"}});
  if (facts.method == "penumbra")
    append(settings, {{"method.ratio", "1"},
                      {"method.weak", "1"},
                      {"method.strong", "1"},
                      // The paper's 75 trusts the first, wrong guesses of a short run too much.
                      {"method.l_ua", "10"},
                      {"method.variance", "log"},
                      {"method.variance_samples", "all"}});
  return settings;
}

// 84 x 84 pictures of a hundred classes, in folders.
bool is_mini_imagenet(const PresetFacts& facts) {
  return facts.dataset == "folder" && facts.classes == 100 && facts.input.height == 84;
}

// The paper's method, on SimPLE's settings where the paper is silent: SGD for the three benchmarks,
// AdamW without a schedule for Mini-ImageNet.
std::vector<Setting> paper_penumbra(const PresetFacts& facts) {
  const bool hundred = facts.dataset == "cifar100", mini = is_mini_imagenet(facts);
  std::vector<Setting> settings{
      {"run.validation", mini ? "7200" : "5000"},
      {"method.strong", hundred ? "4" : "7"},
      {"method.l_ua", mini      ? "300"
                      : hundred ? "150"
                                : "75"},
      {"train.clip", "5"},
      {"train.decay", "all"},
  };
  if (mini)
    append(settings, {{"train.steps", "2097152"},
                      {"train.batch", "16"},
                      {"train.optimiser", "adamw"},
                      {"train.lr", "0.002"},
                      {"train.cosine", "0"},
                      {"train.weight_decay", "0.02"},
                      {"train.ema_buffers", "average"}});
  else
    append(settings, {{"train.cosine", "0.5"}, {"train.weight_decay", "0.0005"}});
  if (facts.policy == "randaugment") append(settings, {{"augment.dialect", "simple"}});
  return settings;
}

// As the authors trained: days on a CPU. What a method does not set for itself is FixMatch's;
// weights of WRN-28-8 for a hundred classes decay twice as fast there.
std::vector<Setting> paper(const PresetFacts& facts) {
  const bool hundred = facts.dataset == "cifar100";
  std::vector<Setting> settings;
  if (facts.method == "penumbra") settings = paper_penumbra(facts);
  if (facts.method == "fixmatch") append(settings, {{"run.unlabelled", "all"}});
  // The first value of a name counts.
  append(settings, {{"run.backbone", hundred ? "wrn_28_8" : "wrn_28_2"},
                    {"train.steps", "1048576"},
                    {"train.lr", "0.03"},
                    {"train.cosine", "0.4375"},
                    {"train.weight_decay", hundred ? "0.001" : "0.0005"},
                    {"train.ema_decay", "0.999"},
                    {"train.ema_warm_up", "false"},
                    // torchvision's ResNet keeps its own.
                    {"model.bn_momentum", facts.backbone == "resnet18" ? "0.1" : "0.001"},
                    {"augment.mirror", "true"}});
  return settings;
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
