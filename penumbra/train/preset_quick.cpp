// Minutes on a CPU, for any method and data. docs/tuning.md has the trials behind the numbers.

#include <fmt/format.h>

#include <algorithm>

#include "penumbra/train/preset_settings.h"

namespace penumbra {
namespace {

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

}  // namespace

std::vector<Setting> quick_settings(const PresetFacts& facts) {
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
  if (method == "penumbra") append(settings, {{"method.l_ua", "10"}, {"method.variance", "log"}});
  return settings;
}

}  // namespace penumbra
