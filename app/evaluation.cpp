#include "app/evaluation.h"

#include <fmt/format.h>

#include "penumbra/core/csv.h"
#include "penumbra/evaluate/evaluation_json.h"

namespace penumbra::app {
namespace {

// What is measured of one thing, by name.
using Numbers = std::vector<std::pair<const char*, Interval>>;

Numbers numbers_of(const MetricIntervals& found) {
  return {{"top5", found.top5}, {"balanced_accuracy", found.balanced_accuracy}};
}

Numbers numbers_of(const CalibrationIntervals& found) {
  return {{"nll", found.nll}, {"brier", found.brier}, {"ece", found.ece}, {"aece", found.aece}};
}

Numbers numbers_of(const SelectiveIntervals& found) {
  return {{"aurc", found.aurc},
          {"augrc", found.augrc},
          {"coverage_at_5_risk", found.coverage_at_5_risk},
          {"risk_at_80_coverage", found.risk_at_80_coverage}};
}

Numbers numbers_of(const DetectionIntervals& found) {
  return {{"auroc", found.auroc},
          {"aupr_out", found.aupr_out},
          {"aupr_in", found.aupr_in},
          {"fpr95", found.fpr95}};
}

void add_intervals(Json& json, const Numbers& numbers, const Evaluation& evaluation) {
  if (!evaluation.sampled) return;
  for (const auto& [name, found] : numbers) json["intervals"][name] = {found.low, found.high};
}

Json to_json(const Numbers& numbers, const Evaluation& evaluation) {
  Json json = Json::object();
  for (const auto& [name, found] : numbers) json[name] = found.value;
  add_intervals(json, numbers, evaluation);
  return json;
}

Json selective_to_json(const Evaluation& evaluation) {
  Json all = Json::object();
  for (const auto& quality : evaluation.scores) {
    auto& json = all[quality.score];
    json = to_json(numbers_of(quality.selective), evaluation);
    json["error_auroc"] = quality.own_errors ? Json(quality.own_errors->value) : Json();
    if (quality.own_errors) add_intervals(json, {{"error_auroc", *quality.own_errors}}, evaluation);
  }
  return all;
}

Json detection_to_json(const Evaluation& evaluation, std::size_t set) {
  Json all = Json::object();
  for (const auto& quality : evaluation.scores)
    all[quality.score] = to_json(numbers_of(quality.detections[set]), evaluation);
  return all;
}

void add_strangers(Json& json, const Evaluation& evaluation) {
  for (std::size_t set = 0; set < evaluation.strangers.size(); ++set) {
    const auto& [name, images, unfamiliar] = evaluation.strangers[set];
    json["ood"][name] = detection_to_json(evaluation, set);
    json["strangers"][name] = {{"images", images},
                               {"unfamiliar", unfamiliar ? Json(*unfamiliar) : Json()}};
  }
}

// Lines of "pictures,of,metric,value,low,high".
class Lines {
 public:
  Lines(const std::string& pictures, bool sampled)
      : pictures_(csv_field(pictures)), sampled_(sampled) {}

  void add(const std::string& of, const char* metric, double value) {
    text_ += fmt::format("{},{},{},{:.6g},,\n", pictures_, csv_field(of), csv_field(metric), value);
  }
  void add(const std::string& of, const char* metric, const Interval& found) {
    text_ += fmt::format("{},{},{},{:.6g},{:.6g},{:.6g}\n", pictures_, csv_field(of),
                         csv_field(metric), found.value, found.low, found.high);
  }
  void add(const std::string& of, const Numbers& numbers) {
    for (const auto& [metric, found] : numbers)
      sampled_ ? add(of, metric, found) : add(of, metric, found.value);
  }
  const std::string& text() const { return text_; }

 private:
  std::string pictures_, text_;
  bool sampled_;
};

}  // namespace

Json to_json(const Evaluation& evaluation) {
  const auto& metrics = evaluation.metrics;
  Json json{{"data", evaluation.data},
            {"model", evaluation.model},
            {"labels_used", evaluation.labels_used},
            {"validation_labels", evaluation.validation_labels}};
  json.update(penumbra::to_json(metrics));
  json.update(penumbra::to_json(evaluation.calibration));
  add_intervals(json, numbers_of(evaluation.intervals), evaluation);
  add_intervals(json, numbers_of(evaluation.calibration_intervals), evaluation);
  json["selective"] = selective_to_json(evaluation);
  json["per_class"] = per_class_json(metrics, evaluation.classes);
  json["confusion"] = metrics.confusion;
  add_strangers(json, evaluation);
  if (!evaluation.verdicts) return json;
  const auto& verdicts = *evaluation.verdicts;
  json["calibrated"] = penumbra::to_json(verdicts.calibration);
  add_intervals(json["calibrated"], numbers_of(evaluation.calibrated_intervals), evaluation);
  json["calibrated"]["temperature"] = verdicts.temperature;
  json["verdicts"] = penumbra::to_json(verdicts);
  return json;
}

std::string to_csv(const Evaluation& evaluation) {
  const auto& metrics = evaluation.metrics;
  Lines test("test", evaluation.sampled);
  test.add("model", "images", static_cast<double>(metrics.images));
  test.add("model", "accuracy", metrics.accuracy);
  test.add("model", numbers_of(evaluation.intervals));
  test.add("model", numbers_of(evaluation.calibration_intervals));
  test.add("model", "mce", evaluation.calibration.mce);
  if (const auto& verdicts = evaluation.verdicts) {
    test.add("calibrated", "temperature", verdicts->temperature);
    test.add("calibrated", numbers_of(evaluation.calibrated_intervals));
    test.add("calibrated", "mce", verdicts->calibration.mce);
    for (std::size_t v = 0; v < verdicts->counts.size(); ++v) {
      const std::string name(to_string(kVerdicts[v]));
      test.add(name, "images", static_cast<double>(verdicts->counts[v].images));
      test.add(name, "right", static_cast<double>(verdicts->counts[v].right));
    }
  }
  for (std::size_t c = 0; c < metrics.per_class.size(); ++c) {
    test.add(evaluation.classes[c], "images", static_cast<double>(metrics.per_class[c].images));
    const auto& [images, precision, recall] = metrics.per_class[c];
    if (precision) test.add(evaluation.classes[c], "precision", *precision);
    if (recall) test.add(evaluation.classes[c], "recall", *recall);
    for (std::size_t other = 0; other < metrics.confusion[c].size(); ++other)
      if (metrics.confusion[c][other] > 0)
        test.add(evaluation.classes[c], ("predicted " + evaluation.classes[other]).c_str(),
                 static_cast<double>(metrics.confusion[c][other]));
  }
  for (const auto& quality : evaluation.scores) {
    if (quality.own_errors) test.add(quality.score, {{"error_auroc", *quality.own_errors}});
    test.add(quality.score, numbers_of(quality.selective));
  }
  auto text = "pictures,of,metric,value,low,high\n" + test.text();
  for (std::size_t i = 0; i < evaluation.strangers.size(); ++i) {
    const auto& strangers = evaluation.strangers[i];
    Lines lines(strangers.name, evaluation.sampled);
    if (strangers.unfamiliar)
      lines.add("unfamiliar", "images", static_cast<double>(*strangers.unfamiliar));
    for (const auto& quality : evaluation.scores)
      lines.add(quality.score, numbers_of(quality.detections[i]));
    text += lines.text();
  }
  return text;
}

}  // namespace penumbra::app
