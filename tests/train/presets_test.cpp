#include "penumbra/train/presets.h"

#include <map>

#include "penumbra/method/method.h"
#include "tests/expect_error.h"

namespace penumbra {
namespace {

// What a run would get: the first value of a name counts.
std::map<std::string, std::string> resolve(PresetFacts facts) {
  if (facts.policy.empty()) facts.policy = "randaugment";
  std::map<std::string, std::string> settings;
  for (const auto& [name, value] : preset_settings(facts)) settings.emplace(name, value);
  return settings;
}

std::map<std::string, std::string> paper(const std::string& method, const std::string& dataset,
                                         int64_t size, int64_t classes,
                                         const std::string& backbone = "") {
  return resolve({"paper", method, dataset, backbone, "", {3, size, size}, classes});
}

using Settings = std::map<std::string, std::string>;

// peers' table of SimPLE's settings and the paper's own values, row by row.
TEST(PaperPreset, OfPenumbraIsThePapersForEveryRowOfItsTables) {
  const Settings cifar10{
      {"run.backbone", "wrn_28_2"},   {"run.validation", "5000"},
      {"method.strong", "7"},         {"method.l_ua", "75"},
      {"train.steps", "1048576"},     {"train.lr", "0.03"},
      {"train.cosine", "0.5"},        {"train.weight_decay", "0.0005"},
      {"train.decay", "all"},         {"train.clip", "5"},
      {"train.ema_decay", "0.999"},   {"train.ema_warm_up", "false"},
      {"model.bn_momentum", "0.001"}, {"augment.mirror", "true"},
      {"augment.dialect", "simple"},  {"method.forward", "interleave"},
  };
  EXPECT_EQ(paper("penumbra", "cifar10", 32, 10), cifar10);
  EXPECT_EQ(paper("penumbra", "svhn", 32, 10), cifar10);

  auto cifar100 = cifar10;
  cifar100["run.backbone"] = "wrn_28_8";
  cifar100["method.strong"] = "4";
  cifar100["method.l_ua"] = "150";
  EXPECT_EQ(paper("penumbra", "cifar100", 32, 100), cifar100);

  auto mini = cifar10;
  mini["run.validation"] = "7200";
  mini["method.l_ua"] = "300";
  mini["train.steps"] = "2097152";
  mini["train.batch"] = "16";
  mini["train.optimiser"] = "adamw";
  mini["train.lr"] = "0.002";
  mini["train.cosine"] = "0";
  mini["train.weight_decay"] = "0.02";
  mini["train.ema_buffers"] = "average";
  EXPECT_EQ(paper("penumbra", "folder", 84, 100), mini);
  mini["model.bn_momentum"] = "0.1";
  EXPECT_EQ(paper("penumbra", "folder", 84, 100, "resnet18"), mini);
}

// Rows of one table are of one split.
TEST(PaperPreset, KeepsTheSameImagesForValidationWhateverTheMethod) {
  for (const auto& method : list_methods()) {
    EXPECT_EQ(paper(method.name, "cifar10", 32, 10).at("run.validation"), "5000") << method.name;
    EXPECT_EQ(paper(method.name, "folder", 84, 100).at("run.validation"), "7200") << method.name;
    EXPECT_EQ(paper(method.name, "folder", 64, 5).count("run.validation"), 0U) << method.name;
  }
}

TEST(PaperPreset, OfFlexMatchAndItsFollowersIsTorchSslsFixMatch) {
  for (const char* method : {"flexmatch", "freematch", "softmatch"}) {
    const auto settings = paper(method, "cifar10", 32, 10);
    for (const auto& [name, value] : Settings{{"augment.dialect", "usb"},
                                              {"run.unlabelled", "all"},
                                              {"method.forward", "joint"},
                                              {"train.lr", "0.03"},
                                              {"train.weight_decay", "0.0005"}})
      EXPECT_EQ(settings.at(name), value) << method << ' ' << name;
  }
  EXPECT_EQ(paper("uda", "cifar10", 32, 10).count("augment.dialect"), 0U);
  EXPECT_EQ(paper("uda", "cifar10", 32, 10).at("run.unlabelled"), "all");
  EXPECT_EQ(paper("freematch", "svhn", 32, 10).at("method.clip"), "true");
  EXPECT_EQ(paper("freematch", "cifar10", 32, 10).count("method.clip"), 0U);
}

TEST(PaperPreset, OfFixMatchIsItsAuthors) {
  const auto cifar10 = paper("fixmatch", "cifar10", 32, 10);
  EXPECT_EQ(cifar10.at("train.cosine"), "0.4375");
  EXPECT_EQ(cifar10.at("train.weight_decay"), "0.0005");
  EXPECT_EQ(cifar10.at("run.unlabelled"), "all");
  EXPECT_EQ(cifar10.count("augment.dialect"), 0u);
  EXPECT_EQ(cifar10.count("augment.mirror"), 0u);  // as the data has it: no digits
  EXPECT_EQ(cifar10.at("method.forward"), "joint");
  EXPECT_EQ(paper("fixmatch", "cifar100", 32, 100).at("train.weight_decay"), "0.001");
}

TEST(PaperPreset, OfSimpleIsItsAuthors) {
  const auto cifar100 = paper("simple", "cifar100", 32, 100);
  for (const auto& [name, value] : Settings{{"method.weight", "150"},
                                            {"method.pair_weight", "150"},
                                            {"method.strong", "4"},
                                            {"train.clip", "5"},
                                            {"train.weight_decay", "0.001"},
                                            {"train.lr", "0.03"},
                                            {"train.cosine", "0.5"},
                                            {"run.validation", "5000"}})
    EXPECT_EQ(cifar100.at(name), value) << name;
  EXPECT_EQ(paper("simple", "cifar10", 32, 10).at("method.pair_weight"), "75");
  EXPECT_EQ(paper("simple", "folder", 84, 100).at("method.weight"), "300");
}

TEST(PaperPreset, OfMixturesIsTheirAuthors) {
  const auto mixmatch = paper("mixmatch", "svhn", 32, 10);
  for (const auto& [name, value] : Settings{{"method.weight", "250"},
                                            {"method.forward", "interleave"},
                                            {"train.cosine", "0"},
                                            {"train.lr", "0.002"},
                                            {"train.weight_decay", "0.02"},
                                            {"train.optimiser", "adamw"}})
    EXPECT_EQ(mixmatch.at(name), value) << name;
  for (const auto& [name, value] : Settings{{"train.lr", "0.002"},
                                            {"train.weight_decay", "0.02"},
                                            {"run.policy", "ctaugment"},
                                            {"augment.final_cutout", "false"},
                                            {"run.unlabelled", "all"},
                                            {"method.forward", "interleave"},
                                            {"method.strong", "8"}})
    EXPECT_EQ(paper("remixmatch", "cifar10", 32, 10).at(name), value) << name;
  for (const char* method : {"pi_model", "pseudo_label", "mean_teacher"})
    for (const auto& [name, value] :
         Settings{{"train.optimiser", "adamw"}, {"train.lr", "0.002"}, {"train.cosine", "0"}})
      EXPECT_EQ(paper(method, "cifar10", 32, 10).at(name), value) << method << ' ' << name;
}

// google-research/mixmatch: runs/table1.sh for CIFAR-100, table5.sh for CIFAR-10, table6.sh for
// SVHN.
TEST(PaperPreset, HasTheWeightsAndDecaysOfMixMatchsOwnRuns) {
  struct Row {
    const char *method, *dataset, *weight, *decay;
  };
  for (const auto& row :
       {Row{"mixmatch", "cifar10", "75", "0.02"}, Row{"mixmatch", "svhn", "250", "0.02"},
        Row{"mixmatch", "cifar100", "150", "0.04"}, Row{"pi_model", "cifar10", "20", "0.02"},
        Row{"pi_model", "svhn", "5", "0.2"}, Row{"mean_teacher", "cifar10", "50", "0.2"},
        Row{"mean_teacher", "svhn", "150", "0.02"}, Row{"pseudo_label", "cifar10", "1", "0.02"},
        Row{"pseudo_label", "svhn", "2", "0.02"}}) {
    const bool hundred = std::string(row.dataset) == "cifar100";
    const auto settings = paper(row.method, row.dataset, 32, hundred ? 100 : 10);
    EXPECT_EQ(settings.at("method.weight"), row.weight) << row.method << ' ' << row.dataset;
    EXPECT_EQ(settings.at("train.weight_decay"), row.decay) << row.method << ' ' << row.dataset;
  }
}

TEST(PaperPreset, OfLabelPropagationIsItsAuthors) {
  // 180 passes over the labelled images, then 180 over the unlabelled ones.
  const auto expect = [](const Settings& settings, const char* lr, const char* batch, double first,
                         double second) {
    EXPECT_EQ(settings.at("train.lr"), lr);
    EXPECT_EQ(settings.at("train.batch"), batch);
    EXPECT_EQ(settings.at("train.cosine"), "0.5");
    EXPECT_EQ(std::stod(settings.at("train.steps")), 180 * (first + second));
    EXPECT_NEAR(std::stod(settings.at("method.supervised")), first / (first + second), 1e-4);
  };
  // 4000 and 41,000 or 64,257 images, fifty of each a step.
  expect(paper("label_propagation", "cifar10", 32, 10), "0.05", "50", 80, 820);
  expect(paper("label_propagation", "svhn", 32, 10), "0.05", "50", 80, 1285);
  // 10,000 and 35,000 images, 31 and 97 of them a step; 4000 and 38,800.
  expect(paper("label_propagation", "cifar100", 32, 100), "0.2", "31", 322, 360);
  expect(paper("label_propagation", "folder", 84, 100), "0.2", "31", 129, 400);
}

TEST(PaperPreset, OfAnotherPolicyNamesNoDialect) {
  EXPECT_EQ(resolve({"paper", "penumbra", "cifar10", "", "ctaugment", {3, 32, 32}, 10})
                .count("augment.dialect"),
            0u);
}

TEST(QuickPreset, TakesASmallNetworkAndTheVarianceThatCarriesInformation) {
  const auto quick = resolve({"quick", "penumbra", "cifar10", "", "", {3, 32, 32}, 10});
  EXPECT_EQ(quick.at("train.optimiser"), "muon");
  EXPECT_EQ(quick.at("method.variance"), "log");
  EXPECT_EQ(quick.at("method.weak"), "1");
  EXPECT_EQ(quick.at("method.strong"), "1");
  EXPECT_EQ(quick.at("method.l_ua"), "10");
  EXPECT_EQ(quick.at("method.labelled"), "both");
  EXPECT_EQ(quick.at("method.supervised"), "0.4");
  EXPECT_EQ(
      resolve({"quick", "fixmatch", "cifar10", "", "", {3, 32, 32}, 10}).at("method.labeller"),
      "teacher");
  for (const char* method : {"fixmatch", "uda", "flexmatch", "freematch"})
    EXPECT_EQ(
        resolve({"quick", method, "cifar10", "", "", {3, 32, 32}, 10}).at("method.skip_untrusted"),
        "true")
        << method;
  EXPECT_EQ(
      resolve({"quick", "remixmatch", "cifar10", "", "", {3, 32, 32}, 10}).at("method.supervised"),
      "0.7");
}

TEST(QuickPreset, TakesAWiderNetworkForMoreMinutesAndSmallerPictures) {
  const auto backbone = [](int64_t size, std::optional<double> minutes, double cores) {
    return resolve({"quick", "fixmatch", "folder", "", "", {3, size, size}, 5, minutes, cores})
        .at("run.backbone");
  };
  EXPECT_EQ(backbone(32, std::nullopt, 2), "fast_48");  // ten minutes
  EXPECT_EQ(backbone(32, 0, 2), "fast_32");             // steps
  EXPECT_EQ(backbone(32, 3, 1), "fast_32");
  EXPECT_EQ(backbone(32, 3, 2), "fast_48");
  EXPECT_EQ(backbone(32, 15, 2), "fast_48");
  EXPECT_EQ(backbone(32, 30, 2), "fast");
  EXPECT_EQ(backbone(64, 30, 2), "fast_48");
  EXPECT_EQ(backbone(96, 10, 2), "fast_32");
  EXPECT_EQ(backbone(128, 600, 2), "fast_16");
}

TEST(QuickPreset, LooksAtMoreOfThePoolWhereThereIsTime) {
  const auto quick = [](const char* method, double minutes) {
    return resolve({"quick", method, "cifar10", "", "", {3, 32, 32}, 10, minutes, 2});
  };
  const Settings hasty{{"train.lr", "0.025"}, {"method.ratio", "1"}, {"method.supervised", "0.4"}};
  const Settings patient{
      {"train.lr", "0.02"}, {"method.ratio", "2"}, {"method.supervised", "0.25"}};
  for (const auto& [name, value] : hasty)
    EXPECT_EQ(quick("freematch", 3.9).at(name), value) << name;
  for (const auto& [name, value] : patient)
    EXPECT_EQ(quick("freematch", 4).at(name), value) << name;
  EXPECT_EQ(quick("fixmatch", 4).at("method.threshold"), "0.9");
  EXPECT_EQ(quick("fixmatch", 3).count("method.threshold"), 0U);
  EXPECT_EQ(quick("penumbra", 4).at("method.ratio"), "1");
  EXPECT_EQ(quick("supervised", 4).count("method.ratio"), 0U);
}

TEST(QuickPreset, GivesGenerationsAStartThatRestsAndMoreOfThemWithTime) {
  const auto quick = [](double minutes) {
    return resolve({"quick", "generations", "cifar10", "", "", {3, 32, 32}, 10, minutes, 2});
  };
  for (const auto& [name, value] : Settings{{"train.optimiser", "muon"},
                                            {"train.lr", "0.02"},
                                            {"train.phase_lr", "0.6"},
                                            {"method.labelled", "both"},
                                            {"method.supervised", "0.4"},
                                            {"method.ratio", "2"}})
    EXPECT_EQ(quick(15).at(name), value) << name;
  EXPECT_EQ(quick(30).at("method.generations"), "1");
  EXPECT_EQ(quick(60).at("method.generations"), "2");
  EXPECT_EQ(quick(3).at("method.supervised"), "0.7");
  EXPECT_EQ(quick(30).at("method.supervised"), "0.3");
}

TEST(Presets, AnUnknownOneNamesThoseThereAre) {
  EXPECT_THAT(error_of([] {
                resolve({"slow", "", "", "", "", {}, 0});
              }),
              testing::HasSubstr("there are: paper quick"));
}

}  // namespace
}  // namespace penumbra
