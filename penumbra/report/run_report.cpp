#include "penumbra/report/run_report.h"

#include <algorithm>
#include <functional>

#include "penumbra/core/error.h"
#include "penumbra/evaluate/certify.h"
#include "penumbra/evaluate/evaluation_json.h"
#include "penumbra/model/image_inference.h"
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
          {"unlabelled", experiment.split.unlabelled.size()},
          {"steps", number("step")},
          {"seconds", number("seconds")},
          {"images_per_second", number("images_per_second")},
          {"seed", run.seed},
          {"parameters", parameters}};
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
  for (const auto& [name, said] :
       {std::pair("labelled", &seen.labelled), std::pair("unlabelled, weak view", &seen.weak),
        std::pair("unlabelled, strong view", &seen.strong)})
    groups.push_back({{"name", name}, {"values", epistemic_of(judge.judge(said->said))}});
  // The last line is where unfamiliar begins.
  Json quantiles = Json::array();
  const double unfamiliar = judge.options().unfamiliar;
  for (const double share : {0.5, 0.9, unfamiliar})
    if (share <= unfamiliar)
      quantiles.push_back({{"share", share}, {"value", judge.epistemic_quantile(share)}});
  return {{"score", judge.options().estimator}, {"quantiles", quantiles}, {"groups", groups}};
}

Json map_of(const Judge* judge, const SeenViews& seen, SpriteSheet& sheet,
            const ReportOptions& options) {
  const auto features = torch::cat({seen.labelled.said.features, seen.strong.said.features});
  const auto places = tsne(features, {}, options.progress);
  Json points = Json::array();
  int64_t row = 0;
  for (const auto* group : {&seen.labelled, &seen.strong}) {
    const auto said = judge != nullptr ? judge->judge(group->said) : judge_roughly(group->said);
    for (std::size_t i = 0; i < said.size(); ++i, ++row) {
      const auto place = static_cast<int64_t>(i);
      const bool labelled = group == &seen.labelled;
      auto point = verdict_json(said[i], judge != nullptr);
      point["x"] = places[row][0].item<float>();
      point["y"] = places[row][1].item<float>();
      point["group"] = labelled ? "labelled" : "unlabelled, strong view";
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

Json strangers_json(const Strangers& strangers, const Model& model, const Judge* judge,
                    const std::vector<Judgement>& test) {
  const auto output = infer(*model.classifier, strangers.images, all_positions(strangers.images),
                            model.info.normalisation);
  const auto said = judge != nullptr ? judge->judge(output) : judge_roughly(output);
  int64_t unfamiliar = 0;
  for (const auto& one : said) unfamiliar += one.verdict == Verdict::kUnfamiliar ? 1 : 0;
  Json rows = Json::array();
  for (const auto& scores : ready_scores(test, {said}, judge)) {
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
  Json report{{"name", std::filesystem::absolute(folder).lexically_normal().filename().string()},
              {"folder", folder.string()},
              {"what", what_of(experiment, model, curves.last)},
              {"classes", experiment.classes},
              {"curves", curves.series}};
  SpriteSheet sheet;
  const auto seen = look_at_views(experiment, *model.classifier, options.points);
  if (judge) report["familiarity"] = familiarity_of(*judge, seen);
  report["map"] = map_of(judge.get(), seen, sheet, options);

  const bool given = experiment.test.size() > 0;
  const auto& images = given ? experiment.test : experiment.training.source.images;
  const auto positions = given ? all_positions(images) : experiment.split.test;
  Json galleries = Json::array();
  if (!positions.empty()) {
    const auto labels = images.labels.index_select(0, torch::tensor(positions, torch::kLong));
    const auto output = infer(*model.classifier, images, positions, model.info.normalisation);
    const auto said = judge ? judge->judge(output) : judge_roughly(output);
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
    for (const auto& scores : ready_scores(said, {}, judge.get()))
      report["selective"].push_back(selective_json(scores, wrong));
    report["strangers"] = Json::array();
    for (const auto& one : strangers)
      report["strangers"].push_back(strangers_json(one, model, judge.get(), said));
    const Shown shown{images, positions, labels, said, experiment.classes};
    galleries = test_galleries(shown, judge != nullptr, sheet);
  }
  // A supervised run gave no pseudo-labels.
  if (experiment.run.method != "supervised")
    galleries.push_back(pseudo_label_gallery(seen, experiment.classes, judge.get(), sheet));
  report["galleries"] = with_pictures(galleries);
  report["pictures"] = sheet.to_json();
  return report;
}

}  // namespace penumbra
