#include "penumbra/report/run_report.h"

#include <algorithm>
#include <functional>

#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "penumbra/data/dataset.h"
#include "penumbra/evaluate/certify.h"
#include "penumbra/evaluate/evaluation_json.h"
#include "penumbra/evaluate/scores.h"
#include "penumbra/model/image_inference.h"
#include "penumbra/report/brief.h"
#include "penumbra/report/curves.h"
#include "penumbra/report/gallery.h"
#include "penumbra/report/seen_views.h"
#include "penumbra/report/tsne.h"

namespace penumbra {
namespace {

Json what_of(const Experiment& experiment, const Model& model, const Json& last) {
  int64_t parameters = 0;
  for (const auto& weight : model.classifier->weights()) parameters += weight.tensor.numel();
  const auto& run = experiment.run;
  const auto number = [&](const char* name) { return last.contains(name) ? last[name] : Json(0); };
  return {{"data", run.data},
          {"method", run.method},
          {"backbone", run.backbone},
          {"preset", run.preset},
          {"labels", experiment.split.labelled.size()},
          {"validation_labels",
           experiment.validation.size() + static_cast<int64_t>(experiment.split.validation.size())},
          {"unlabelled", unlabelled_alone(experiment.split).size()},
          {"steps", number("step")},
          {"seconds", number("seconds")},
          {"images_per_second", number("images_per_second")},
          {"seed", run.seed},
          {"parameters", parameters}};
}

// What a part says of itself in one line; nothing where there is no part of this name.
std::string summary_of(const std::string& name, const std::vector<PartInfo>& parts) {
  for (const auto& part : parts)
    if (part.name == name) return part.summary;
  return {};
}

std::vector<double> epistemic_of(const std::vector<Judgement>& said) {
  std::vector<double> scores;
  scores.reserve(said.size());
  for (const auto& one : said) scores.push_back(one.epistemic);
  return scores;
}

// The paper's first figure: how unfamiliar labelled and unlabelled views are.
Json familiarity_of(const Judge& judge, const SeenViews& seen) {
  Json groups = Json::array();
  for (const auto& [name, said] : {std::pair(std::string("labelled"), &seen.labelled),
                                   std::pair(seen.others + ", weak view", &seen.weak),
                                   std::pair(seen.others + ", strong view", &seen.strong)}) {
    auto values = epistemic_of(judge.judge(said->said));
    for (auto& value : values) value = brief(value);
    groups.push_back({{"name", name}, {"values", values}});
  }
  // The last line is where unfamiliar begins.
  Json quantiles = Json::array();
  const double unfamiliar = judge.options().unfamiliar;
  for (const double share : {0.5, 0.9, unfamiliar})
    if (share <= unfamiliar)
      quantiles.push_back({{"share", share}, {"value", judge.epistemic_quantile(share)}});
  const auto& estimator = judge.options().estimator;
  return {{"score", estimator},
          {"about", summary_of(estimator, list_estimators())},
          {"quantiles", quantiles},
          {"groups", groups}};
}

Json map_of(const Judge* judge, const SeenViews& seen, SpriteSheet& sheet,
            const ReportOptions& options) {
  const auto features = torch::cat({seen.labelled.said.features, seen.strong.said.features});
  const auto places = tsne(features, {}, options.progress);
  Json points = Json::array();
  int64_t row = 0;
  for (const auto* group : {&seen.labelled, &seen.strong}) {
    const auto said = say(group->said, judge).judgements;
    for (std::size_t i = 0; i < said.size(); ++i, ++row) {
      const auto place = static_cast<int64_t>(i);
      const bool labelled = group == &seen.labelled;
      auto point = verdict_json(said[i], judge != nullptr);
      point["x"] = places[row][0].item<double>();
      point["y"] = places[row][1].item<double>();
      for (auto& number : point)
        if (number.is_number_float()) number = brief(number.get<double>());
      point["group"] = labelled ? "labelled" : seen.others + ", strong view";
      point["class"] = labelled ? group->labels[place].item<int64_t>() : said[i].label;
      point["picture"] = sheet.add(group->pictures[place]);
      points.push_back(std::move(point));
    }
  }
  return {{"points", points}};
}

// A model without mistakes has none to show.
Json with_pictures(const Json& galleries) {
  Json filled = Json::array();
  for (const auto& gallery : galleries)
    if (!gallery["items"].empty()) filled.push_back(gallery);
  return filled;
}

// A hundred places of a long curve.
std::vector<std::size_t> hundredths(std::size_t n) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < std::min<std::size_t>(n, 100); ++i)
    places.push_back((i + 1) * n / std::min<std::size_t>(n, 100) - 1);
  return places;
}

// What can be ranked by, each score once.
std::vector<NamedScores> shown_scores(const Said& test, const std::vector<Said>& strangers,
                                      const Judge* judge) {
  auto ready = ready_scores(test, strangers, judge);
  const auto twin = twin_of_epistemic(ready);
  std::vector<NamedScores> shown;
  for (auto& scores : ready) {
    if (scores.name == twin) continue;
    if (scores.name == "epistemic") scores.name += " by " + judge->options().estimator;
    shown.push_back(std::move(scores));
  }
  return shown;
}

Json selective_json(const NamedScores& scores, const std::vector<bool>& wrong) {
  const auto found = selective_of(scores.test, wrong);
  const auto errors = right_against_wrong(scores.test, wrong);
  Json coverage = Json::array(), risk = Json::array();
  for (const auto i : hundredths(found.risk.size())) {
    coverage.push_back(static_cast<double>(i + 1) / static_cast<double>(found.risk.size()));
    risk.push_back(found.risk[i]);
  }
  return {{"score", scores.name},
          {"error_auroc", errors ? Json(errors->detection().auroc) : Json()},
          {"aurc", found.aurc},
          {"augrc", found.augrc},
          {"coverage_at_5_risk", found.coverage_at_5_risk},
          {"risk_at_80_coverage", found.risk_at_80_coverage},
          {"coverage", coverage},
          {"risk", risk}};
}

// Share of strangers at or above each threshold against that of test images.
Json roc_json(std::vector<double> familiar, std::vector<double> strangers) {
  std::sort(familiar.rbegin(), familiar.rend());
  std::sort(strangers.rbegin(), strangers.rend());
  Json curve = Json::array({Json::array({0, 0})});
  for (const auto i : hundredths(familiar.size())) {
    const auto share = [&](const std::vector<double>& scores) {
      const auto end =
          std::upper_bound(scores.begin(), scores.end(), familiar[i], std::greater<>());
      return static_cast<double>(end - scores.begin()) / static_cast<double>(scores.size());
    };
    curve.push_back({share(familiar), share(strangers)});
  }
  curve.push_back({1, 1});
  return curve;
}

// "house number digits": what a dataset says of itself first. A folder has only its name.
std::string subject_of(const std::string& name) {
  const auto summary = summary_of(name, list_datasets());
  return summary.substr(0, summary.find(','));
}

Json strangers_json(const Strangers& strangers, const Model& model, const Judge* judge,
                    const Said& test) {
  const auto said = say(infer(*model.classifier, strangers.images, all_positions(strangers.images),
                              model.info.normalisation),
                        judge);
  int64_t unfamiliar = 0;
  for (const auto& one : said.judgements) unfamiliar += one.verdict == Verdict::kUnfamiliar ? 1 : 0;
  Json rows = Json::array();
  for (const auto& scores : shown_scores(test, {said}, judge)) {
    const auto& strange = scores.strangers[0];
    const auto found = detect(scores.test, strange);
    rows.push_back({{"score", scores.name},
                    {"auroc", found.auroc},
                    {"aupr_out", found.aupr_out},
                    {"aupr_in", found.aupr_in},
                    {"fpr95", found.fpr95},
                    {"roc", roc_json(scores.test, strange)}});
  }
  return {{"name", strangers.name},
          {"about", subject_of(strangers.name)},
          {"images", strangers.images.size()},
          {"unfamiliar", judge != nullptr ? Json(unfamiliar) : Json()},
          {"scores", rows}};
}

}  // namespace

Json report_of(const std::filesystem::path& folder, const Experiment& experiment,
               const Model& model, const std::vector<Strangers>& strangers,
               const ReportOptions& options) {
  const auto judge = judge_of(model.info);
  const auto curves = read_curves(folder / "metrics.jsonl");
  Json report{{"name", own_name(folder)},
              {"folder", folder.string()},
              {"what", what_of(experiment, model, curves.last)},
              {"classes", experiment.classes},
              {"curves", curves.series}};
  SpriteSheet sheet;
  const auto seen = look_at_views(experiment, *model.classifier, options.points);
  if (judge) {
    report["familiarity"] = familiarity_of(*judge, seen);
    const auto& limits = judge->options();
    report["thresholds"] = {{"unfamiliar", limits.unfamiliar},
                            {"ambiguous", limits.ambiguous},
                            {"sure", limits.sure},
                            {"variance", judge->has_variance()}};
  }
  report["map"] = map_of(judge.get(), seen, sheet, options);

  const bool given = experiment.test.size() > 0;
  const auto& images = given ? experiment.test : experiment.training.source.images;
  const auto positions = given ? all_positions(images) : experiment.split.test;
  Json galleries = Json::array();
  if (!positions.empty()) {
    const auto labels = images.labels.index_select(0, torch::tensor(positions, torch::kLong));
    const auto output = infer(*model.classifier, images, positions, model.info.normalisation);
    const auto said = say(output, judge.get());
    const auto metrics = measure(output.logits, labels);
    report["result"] = to_json(metrics);
    report["per_class"] = per_class_json(metrics, experiment.classes);
    report["confusion"] = metrics.confusion;
    report["calibration"]["raw"] = to_json(calibration_of(output.logits, labels));
    if (judge) {
      const auto verdicts = verdicts_of(*judge, output, labels);
      report["verdicts"] = to_json(verdicts);
      report["calibration"]["calibrated"] = to_json(verdicts.calibration);
      report["calibration"]["calibrated"]["temperature"] = verdicts.temperature;
    }
    const auto wrong = mistakes_of(output, labels);
    report["selective"] = Json::array();
    for (const auto& scores : shown_scores(said, {}, judge.get()))
      report["selective"].push_back(selective_json(scores, wrong));
    report["strangers"] = Json::array();
    for (const auto& one : strangers)
      report["strangers"].push_back(strangers_json(one, model, judge.get(), said));
    const Shown shown{images, positions, labels, said.judgements, experiment.classes};
    galleries = test_galleries(shown, judge != nullptr, sheet);
  }
  // A supervised run gave no pseudo-labels, and known labels are no hidden ones.
  if (experiment.run.method != "supervised" && seen.others == "unlabelled")
    galleries.push_back(pseudo_label_gallery(seen, experiment.classes, judge.get(), sheet));
  report["galleries"] = with_pictures(galleries);
  report["pictures"] = sheet.to_json();
  return report;
}

}  // namespace penumbra
