#include "penumbra/train/presets.h"

#include <fmt/format.h>

#include <algorithm>

#include "penumbra/core/error.h"

namespace penumbra {
namespace {

void append(std::vector<Setting>& settings, const std::vector<Setting>& more) {
  settings.insert(settings.end(), more.begin(), more.end());
}

constexpr double kQuickMinutes = 10;

// Minutes of one core (machine_speed.h), for pictures of 32 x 32: what a picture costs grows with
// its pixels.
double quick_time(const PresetFacts& facts) {
  const auto pixels = std::max<int64_t>(1, facts.input.height * facts.input.width);
  return facts.minutes.value_or(kQuickMinutes) * facts.cores * 32 * 32 /
         static_cast<double>(pixels);
}

// Wider networks learn more from an image, but see fewer of them in the same time: on CIFAR-10
// fast_32 was behind fast_48 by 0.5 points after five minutes of one core, fast by 1.4 after nine
// (docs/tuning.md). Those for large pictures must be cheaper by far.
std::string quick_backbone(const PresetFacts& facts) {
  if (std::max(facts.input.height, facts.input.width) > 96) return "fast_16";
  const double time = quick_time(facts);
  return time < 4 ? "fast_32" : time < 60 ? "fast_48" : "fast";
}

// A start of some five minutes of one core comes to rest as far as 4000 labels bring it. One long
// generation after it is worth more than two half as long (docs/tuning.md). Steps of the start
// cost a third of the others, so that its share of them is not that of the time.
std::vector<Setting> quick_generations(double time) {
  const char* start = time < 8 ? "0.7" : time < 60 ? "0.4" : "0.3";
  return {{"train.lr", "0.02"},
          {"train.phase_lr", "0.6"},
          {"train.ema_decay", "0.995"},
          {"method.ratio", "2"},
          {"method.threshold", "0.8"},
          {"method.smoothing", "0"},
          {"method.skip_untrusted", "true"},
          {"method.generations", time < 120 ? "1" : "2"},
          {"method.supervised", start}};
}

// For two CPU cores and minutes. Muon's steps are worth two to three of SGD's. Batch norm's
// statistics and the moving averages must settle within a few hundred steps, and one unlabelled
// image for each labelled one makes a step. Labelled images are worth strong views as well, but by
// these alone a network of digits learns nothing at first. Chosen on validation images of
// Fashion-MNIST, CIFAR-10 and SVHN (docs/tuning.md). The first value of a name counts.
std::vector<Setting> quick(const PresetFacts& facts) {
  std::vector<Setting> settings;
  // With time left the start is over sooner, smaller steps and longer averages make a better
  // teacher, and the pool counts for more than the labelled images, which are seen often enough.
  const bool hasty = quick_time(facts) < 8;
  if (facts.method == "generations") append(settings, quick_generations(quick_time(facts)));
  append(settings, {{"run.backbone", quick_backbone(facts)},
                    {"run.minutes", fmt::format("{:g}", kQuickMinutes)},
                    {"run.mirror", "auto"},
                    {"train.optimiser", "muon"},
                    {"train.lr", hasty ? "0.025" : "0.02"},
                    {"train.cosine", "0.5"},
                    {"train.weight_decay", "0.0005"},
                    {"train.warm_up", "20"},
                    {"train.ema_decay", hasty ? "0.995" : "0.998"},
                    // The teacher's statistics are then of the same age as its weights.
                    {"train.ema_buffers", "average"},
                    {"model.bn_momentum", "0.1"},
                    {"method.labelled", "both"}});
  const auto& method = facts.method;
  // Guesses of a network that knows nothing cost time and mislead it. ReMixMatch's steps cost so
  // much that 0.4 of them are over in an eighth of the time.
  if (method == "remixmatch") append(settings, {{"method.supervised", "0.7"}});
  // Half of the strong views or more are not trusted at first, and cost as much as the others.
  for (const char* name : {"fixmatch", "uda", "flexmatch", "freematch"})
    if (method == name) {
      append(settings, {{"method.skip_untrusted", "true"}});
      if (!hasty) append(settings, {{"method.ratio", "2"}, {"method.supervised", "0.25"}});
    }
  if (method == "fixmatch" && !hasty) append(settings, {{"method.threshold", "0.9"}});
  if (method != "supervised")
    append(settings, {{"method.ratio", "1"}, {"method.supervised", "0.4"}});
  for (const char* name : {"fixmatch", "uda", "flexmatch", "freematch", "softmatch"})
    if (method == name) append(settings, {{"method.labeller", "teacher"}});
  // In minutes most of the pool is seen once or never: FlexMatch's warm-up takes that for images
  // that cannot be learnt, and then trusts every label.
  if (method == "flexmatch") append(settings, {{"method.warm_up", "false"}});
  if (method == "freematch" || method == "softmatch")
    append(settings, {{"method.momentum", "0.99"}, {"method.averages", "first"}});
  if (method == "label_propagation")
    append(settings, {{"method.propagations", "3"}, {"method.unlabelled", "strong"}});
  if (method == "remixmatch") append(settings, {{"method.strong", "1"}});
  // The authors' weights of 75 and 50 trust the wrong guesses of a short run too much, and so does
  // UDA's threshold.
  if (method == "mixmatch" || method == "mean_teacher") append(settings, {{"method.weight", "10"}});
  if (method == "uda") append(settings, {{"method.threshold", "0.95"}});
  if (method == "penumbra" || method == "simple")
    append(settings, {{"method.weak", "1"}, {"method.strong", "1"}});
  if (method == "simple")
    append(settings, {{"method.weight", "10"},
                      {"method.pair_weight", "2"},
                      // Of the sharpened guess: 0.95 before, where two classes are left.
                      {"method.threshold", "0.997"}});
  if (method == "penumbra")
    append(settings,
           {{"method.l_ua", "10"}, {"method.variance", "log"}, {"method.variance_samples", "all"}});
  return settings;
}

// 84 x 84 pictures of a hundred classes, in folders.
bool is_mini_imagenet(const PresetFacts& facts) {
  return facts.dataset == "folder" && facts.classes == 100 && facts.input.height == 84;
}

bool has_hundred_classes(const PresetFacts& facts) { return facts.dataset == "cifar100"; }

// SimPLE's settings, which are also the paper's where it is silent: SGD for the three benchmarks,
// AdamW without a schedule for Mini-ImageNet.
std::vector<Setting> paper_of_guesses(const PresetFacts& facts) {
  const bool mini = is_mini_imagenet(facts);
  const std::string weight = mini ? "300" : has_hundred_classes(facts) ? "150" : "75";
  std::vector<Setting> settings{
      {"method.strong", has_hundred_classes(facts) ? "4" : "7"},
      {"train.clip", "5"},
      {"train.decay", "all"},
      {"method.forward", "interleave"},
      {"augment.mirror", "true"},  // digits as well, unlike the other authors
  };
  if (facts.method == "penumbra") append(settings, {{"method.l_ua", weight}});
  if (facts.method == "simple")
    append(settings, {{"method.weight", weight}, {"method.pair_weight", weight}});
  if (mini)
    append(settings, {{"train.steps", "2097152"},
                      {"train.batch", "16"},
                      {"train.optimiser", "adamw"},
                      {"train.lr", "0.002"},
                      {"train.cosine", "0"},
                      {"train.weight_decay", "0.02"},
                      {"train.ema_buffers", "average"}});
  else
    append(settings, {{"train.cosine", "0.5"}});
  // The paper has 0.0005 for every benchmark, SimPLE twice that for CIFAR-100.
  if (!mini && facts.method == "penumbra") append(settings, {{"train.weight_decay", "0.0005"}});
  if (facts.policy == "randaugment") append(settings, {{"augment.dialect", "simple"}});
  return settings;
}

// google-research/mixmatch, whose runs of Pi-model, Mean Teacher and Pseudo-Label later papers
// quote (runs/table1.sh, table5.sh and table6.sh, without SVHN's extra images), and /remixmatch
// (runs/ssl/): Adam, whose decay is decoupled, and no schedule.
std::vector<Setting> paper_of_mixtures(const PresetFacts& facts) {
  const auto& method = facts.method;
  const bool digits = facts.dataset == "svhn", hundred = has_hundred_classes(facts);
  std::string weight, decay = "0.02";
  if (method == "mixmatch") weight = digits ? "250" : hundred ? "150" : "75";
  if (method == "pi_model") weight = digits ? "5" : "20";
  if (method == "mean_teacher") weight = digits ? "150" : "50";
  if (method == "pseudo_label") weight = digits ? "2" : "1";
  if (method == "mixmatch" && hundred) decay = "0.04";
  if (method == (digits ? "pi_model" : "mean_teacher")) decay = "0.2";
  std::vector<Setting> settings{{"train.optimiser", "adamw"},
                                {"train.lr", "0.002"},
                                {"train.cosine", "0"},
                                {"train.weight_decay", decay}};
  if (!weight.empty()) append(settings, {{"method.weight", weight}});
  if (method == "mixmatch" || method == "remixmatch")
    append(settings, {{"method.forward", "interleave"}});
  if (method == "remixmatch")
    append(settings, {{"run.policy", "ctaugment"},
                      {"augment.final_cutout", "false"},
                      {"run.unlabelled", "all"},
                      {"method.strong", "8"}});
  return settings;
}

// TorchSSL, where FlexMatch and its followers come from: FixMatch with another RandAugment. The
// weight of FreeMatch's fairness stays 0.001, as in its successor USB; TorchSSL has 0.01.
std::vector<Setting> paper_of_thresholds(const PresetFacts& facts) {
  std::vector<Setting> settings{{"run.unlabelled", "all"}, {"method.forward", "joint"}};
  if (facts.policy == "randaugment") append(settings, {{"augment.dialect", "usb"}});
  if (facts.method == "freematch" && facts.dataset == "svhn")
    append(settings, {{"method.clip", "true"}});
  return settings;
}

// ahmetius/LP-DeepSSL: 180 passes over the labelled images, then 180 over the unlabelled ones, each
// with a learning rate that falls along a cosine; theirs ends at a twentieth, the nearest here at
// 0. Their first steps are whole batches of labelled images, 100 or 128; here a step has as many of
// them before as after.
std::vector<Setting> paper_of_propagation(const PresetFacts& facts) {
  const bool hundred = has_hundred_classes(facts), digits = facts.dataset == "svhn";
  const bool ten = facts.dataset == "cifar10" || digits;
  // The images of the paper's tables without those for validation; other data counts as
  // Mini-ImageNet. Passes are of whole batches.
  const int64_t labelled = hundred ? 10000 : 4000;
  const int64_t unlabelled = digits ? 64257 : hundred ? 35000 : ten ? 41000 : 38800;
  const int64_t batch = ten ? 50 : 31, guessed = ten ? 50 : 97;
  const int64_t first = 180 * (labelled / batch), second = 180 * (unlabelled / guessed);
  const double share = static_cast<double>(first) / static_cast<double>(first + second);
  return {{"train.steps", fmt::format("{}", first + second)},
          {"method.supervised", fmt::format("{:.4f}", share)},
          {"train.batch", fmt::format("{}", batch)},
          {"method.ratio", ten ? "1" : "3.129"},  // 97 unlabelled images with 31 labelled ones
          {"train.lr", ten ? "0.05" : "0.2"},
          {"train.cosine", "0.5"},
          {"train.weight_decay", "0.0002"}};
}

std::vector<Setting> paper_of_method(const PresetFacts& facts) {
  const auto& method = facts.method;
  if (method == "penumbra" || method == "simple") return paper_of_guesses(facts);
  for (const char* name : {"mixmatch", "remixmatch", "mean_teacher", "pi_model", "pseudo_label"})
    if (method == name) return paper_of_mixtures(facts);
  if (method == "label_propagation") return paper_of_propagation(facts);
  if (method == "fixmatch" || method == "uda")
    return {{"run.unlabelled", "all"}, {"method.forward", "joint"}};
  if (method == "flexmatch" || method == "freematch" || method == "softmatch")
    return paper_of_thresholds(facts);
  return {};
}

// As the authors trained: months on a CPU. What a method does not set for itself is FixMatch's;
// weights of WRN-28-8 for a hundred classes decay twice as fast there.
std::vector<Setting> paper(const PresetFacts& facts) {
  const bool hundred = has_hundred_classes(facts);
  auto settings = paper_of_method(facts);
  // Every row of a table has the same images left.
  const bool mini = is_mini_imagenet(facts);
  if (mini || hundred || facts.dataset == "cifar10" || facts.dataset == "svhn")
    append(settings, {{"run.validation", mini ? "7200" : "5000"}});
  // The first value of a name counts.
  append(settings, {{"run.backbone", hundred ? "wrn_28_8" : "wrn_28_2"},
                    {"train.steps", "1048576"},
                    {"train.lr", "0.03"},
                    {"train.cosine", "0.4375"},
                    {"train.weight_decay", hundred ? "0.001" : "0.0005"},
                    {"train.ema_decay", "0.999"},
                    {"train.ema_warm_up", "false"},
                    // torchvision's ResNet keeps its own.
                    {"model.bn_momentum", facts.backbone == "resnet18" ? "0.1" : "0.001"}});
  return settings;
}

struct Preset {
  const char* name;
  const char* summary;
  std::vector<Setting> (*settings)(const PresetFacts&);
};

const Preset kPresets[] = {
    {"paper",
     "the authors' settings for each dataset and method; one to nine months on two CPU cores",
     paper},
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
