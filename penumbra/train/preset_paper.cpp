// What authors set for each method and dataset, in their code where it differs from their papers.

#include <fmt/format.h>

#include "penumbra/train/preset_settings.h"

namespace penumbra {
namespace {

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

}  // namespace

std::vector<Setting> paper_settings(const PresetFacts& facts) {
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

}  // namespace penumbra
