#include "app/evaluation.h"

#include <fmt/format.h>

#include <filesystem>

#include "app/table.h"
#include "penumbra/core/csv.h"
#include "penumbra/evaluate/evaluation_json.h"

namespace penumbra::app {
namespace {

Json to_json(const Interval& interval) { return {interval.low, interval.high}; }

void add(Json& intervals, const CalibrationIntervals& found) {
  intervals["nll"] = to_json(found.nll);
  intervals["brier"] = to_json(found.brier);
  intervals["ece"] = to_json(found.ece);
  intervals["aece"] = to_json(found.aece);
}

template <class Of>
Json by_score(const Evaluation& evaluation, const Of& of) {
  Json all = Json::object();
  for (const auto& quality : evaluation.scores) all[quality.score] = of(quality);
  return all;
}

Json selective_to_json(const Evaluation& evaluation) {
  return by_score(evaluation, [](const ScoreQuality& quality) {
    const auto& found = quality.selective;
    Json json{{"aurc", found.aurc},
              {"augrc", found.augrc},
              {"coverage_at_5_risk", found.coverage_at_5_risk},
              {"risk_at_80_coverage", found.risk_at_80_coverage},
              {"error_auroc", Json()},
              {"intervals", {{"aurc", to_json(quality.aurc)}}}};
    if (quality.own_errors) {
      json["error_auroc"] = quality.own_errors->value;
      json["intervals"]["error_auroc"] = to_json(*quality.own_errors);
    }
    return json;
  });
}

Json detection_to_json(const Evaluation& evaluation, std::size_t set) {
  return by_score(evaluation, [set](const ScoreQuality& quality) {
    const auto& found = quality.detections[set];
    return Json{{"auroc", found.auroc},
                {"aupr_out", found.aupr_out},
                {"aupr_in", found.aupr_in},
                {"fpr95", found.fpr95},
                {"intervals", {{"auroc", to_json(quality.auroc[set])}}}};
  });
}

void add_strangers(Json& json, const Evaluation& evaluation) {
  for (std::size_t set = 0; set < evaluation.strangers.size(); ++set) {
    const auto& [name, images, unfamiliar] = evaluation.strangers[set];
    json["ood"][name] = detection_to_json(evaluation, set);
    json["strangers"][name] = {{"images", images},
                               {"unfamiliar", unfamiliar ? Json(*unfamiliar) : Json()}};
  }
}

// "0.873 +- 0.004": half of the interval's width, where there is one.
std::string with_interval(const Interval& found) {
  if (found.high == found.low) return fmt::format("{:.3f}", found.value);
  return fmt::format("{:.3f} +-{:.3f}", found.value, (found.high - found.low) / 2);
}

// One table for all sets: a person looks for the score that is good on each.
std::string strangers_to_text(const Evaluation& evaluation) {
  if (evaluation.strangers.empty()) return "";
  std::string text;
  std::vector<std::string> head{"score"};
  for (const auto& [name, images, unfamiliar] : evaluation.strangers) {
    text += unfamiliar ? fmt::format("\n{}: {} of {} pictures are called unfamiliar", name,
                                     *unfamiliar, images)
                       : fmt::format("\n{}: {} pictures", name, images);
    for (const char* what : {"AUROC", "AUPR", "FPR95"})
      head.push_back(fmt::format("{} {}", std::filesystem::path(name).filename().string(), what));
  }
  std::vector<std::vector<std::string>> rows{head};
  for (const auto& quality : evaluation.scores) {
    rows.push_back({quality.score});
    for (std::size_t i = 0; i < quality.detections.size(); ++i) {
      rows.back().push_back(with_interval(quality.auroc[i]));
      for (const double value : {quality.detections[i].aupr_out, quality.detections[i].fpr95})
        rows.back().push_back(fmt::format("{:.3f}", value));
    }
  }
  return text + "\n\n" + format_table(rows);
}

// Whether a score knows the model's own errors, and what is gained by answering only where it is
// low.
std::string selective_to_text(const Evaluation& evaluation) {
  std::vector<std::vector<std::string>> rows{{"score", "own errors AUROC", "AURC", "AUGRC",
                                              "answered at 5 % risk", "risk at 80 % answered"}};
  for (const auto& quality : evaluation.scores) {
    const auto& found = quality.selective;
    rows.push_back({quality.score, quality.own_errors ? with_interval(*quality.own_errors) : "-",
                    with_interval(quality.aurc), fmt::format("{:.4f}", found.augrc),
                    fmt::format("{:.1f} %", 100 * found.coverage_at_5_risk),
                    fmt::format("{:.2f} %", 100 * found.risk_at_80_coverage)});
  }
  return '\n' + format_table(rows);
}

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f} %", 100 * *share) : "-";
}

// Which class is most often taken for which other, for each class.
std::string most_confused(const Evaluation& evaluation, std::size_t c) {
  const auto& row = evaluation.metrics.confusion[c];
  std::size_t worst = c == 0 ? 1 : 0;
  for (std::size_t other = 0; other < row.size(); ++other)
    if (other != c && row[other] > row[worst]) worst = other;
  return row[worst] == 0 ? "-" : fmt::format("{} ({})", evaluation.classes[worst], row[worst]);
}

std::string verdicts_to_text(const Verdicts& verdicts) {
  std::vector<std::vector<std::string>> rows{{"verdict", "images", "accuracy"}};
  for (std::size_t v = 0; v < verdicts.counts.size(); ++v) {
    const auto& [images, right] = verdicts.counts[v];
    const auto accuracy = 100 * static_cast<double>(right) / static_cast<double>(images);
    rows.push_back({std::string(to_string(kVerdicts[v])), std::to_string(images),
                    images > 0 ? fmt::format("{:.1f} %", accuracy) : "-"});
  }
  return '\n' + format_table(rows);
}

// How far probabilities are to be believed, before and after the temperature.
std::string calibration_to_text(const Evaluation& evaluation) {
  std::vector<std::vector<std::string>> rows{
      {"probabilities", "log loss", "Brier", "ECE", "adaptive ECE", "largest gap"}};
  const auto add = [&](const std::string& name, const Calibration& found,
                       const CalibrationIntervals& intervals) {
    rows.push_back({name, with_interval(intervals.nll), with_interval(intervals.brier),
                    with_interval(intervals.ece), with_interval(intervals.aece),
                    fmt::format("{:.3f}", found.mce)});
  };
  add("as the model says them", evaluation.calibration, evaluation.calibration_intervals);
  if (const auto& verdicts = evaluation.verdicts)
    add(fmt::format("at temperature {:.2f}", verdicts->temperature), verdicts->calibration,
        evaluation.calibrated_intervals);
  return '\n' + format_table(rows);
}

std::string interval_in_words(const Interval& share) {
  if (share.high == share.low) return "";
  return fmt::format(" (95 % interval {:.2f} to {:.2f})", 100 * share.low, 100 * share.high);
}

// Lines of "pictures,of,metric,value,low,high".
class Lines {
 public:
  explicit Lines(const std::string& pictures) : pictures_(csv_field(pictures)) {}

  void add(const std::string& of, const char* metric, double value) {
    text_ += fmt::format("{},{},{},{:.6g},,\n", pictures_, csv_field(of), csv_field(metric), value);
  }
  void add(const std::string& of, const char* metric, const Interval& found) {
    text_ += fmt::format("{},{},{},{:.6g},{:.6g},{:.6g}\n", pictures_, csv_field(of),
                         csv_field(metric), found.value, found.low, found.high);
  }
  void add(const std::string& of, const Calibration& found, const CalibrationIntervals& intervals) {
    add(of, "nll", intervals.nll);
    add(of, "brier", intervals.brier);
    add(of, "ece", intervals.ece);
    add(of, "aece", intervals.aece);
    add(of, "mce", found.mce);
  }
  const std::string& text() const { return text_; }

 private:
  std::string pictures_, text_;
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
  json["intervals"] = {{"top5", to_json(evaluation.intervals.top5)},
                       {"balanced_accuracy", to_json(evaluation.intervals.balanced_accuracy)}};
  add(json["intervals"], evaluation.calibration_intervals);
  json["selective"] = selective_to_json(evaluation);
  json["per_class"] = per_class_json(metrics, evaluation.classes);
  json["confusion"] = metrics.confusion;
  add_strangers(json, evaluation);
  if (!evaluation.verdicts) return json;
  const auto& verdicts = *evaluation.verdicts;
  json["calibrated"] = penumbra::to_json(verdicts.calibration);
  add(json["calibrated"]["intervals"], evaluation.calibrated_intervals);
  json["calibrated"]["temperature"] = verdicts.temperature;
  json["verdicts"] = penumbra::to_json(verdicts);
  return json;
}

std::string to_text(const Evaluation& evaluation) {
  const auto& metrics = evaluation.metrics;
  auto text = fmt::format(
      "{}: {} test images, {} labels to train with, {} labels to choose the model with\n\n"
      "accuracy           {:.2f} %{}\n"
      "top-5 accuracy     {:.2f} %{}\nbalanced accuracy  {:.2f} %{}\n\n",
      evaluation.data, metrics.images, evaluation.labels_used, evaluation.validation_labels,
      100 * metrics.accuracy.value, interval_in_words(metrics.accuracy), 100 * metrics.top5,
      interval_in_words(evaluation.intervals.top5), 100 * metrics.balanced_accuracy,
      interval_in_words(evaluation.intervals.balanced_accuracy));
  std::vector<std::vector<std::string>> rows{
      {"class", "images", "precision", "recall", "most often taken for"}};
  for (std::size_t c = 0; c < metrics.per_class.size(); ++c) {
    const auto& of_class = metrics.per_class[c];
    rows.push_back({evaluation.classes[c], std::to_string(of_class.images),
                    percent(of_class.precision), percent(of_class.recall),
                    most_confused(evaluation, c)});
  }
  text += format_table(rows) + calibration_to_text(evaluation);
  if (evaluation.verdicts) text += verdicts_to_text(*evaluation.verdicts);
  return text + selective_to_text(evaluation) + strangers_to_text(evaluation);
}

std::string to_csv(const Evaluation& evaluation) {
  const auto& metrics = evaluation.metrics;
  Lines test("test");
  test.add("model", "images", static_cast<double>(metrics.images));
  test.add("model", "accuracy", metrics.accuracy);
  test.add("model", "top5", evaluation.intervals.top5);
  test.add("model", "balanced_accuracy", evaluation.intervals.balanced_accuracy);
  test.add("model", evaluation.calibration, evaluation.calibration_intervals);
  if (const auto& verdicts = evaluation.verdicts) {
    test.add("calibrated", "temperature", verdicts->temperature);
    test.add("calibrated", verdicts->calibration, evaluation.calibrated_intervals);
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
    if (quality.own_errors) test.add(quality.score, "error_auroc", *quality.own_errors);
    test.add(quality.score, "aurc", quality.aurc);
    test.add(quality.score, "augrc", quality.selective.augrc);
    test.add(quality.score, "coverage_at_5_risk", quality.selective.coverage_at_5_risk);
    test.add(quality.score, "risk_at_80_coverage", quality.selective.risk_at_80_coverage);
  }
  auto text = "pictures,of,metric,value,low,high\n" + test.text();
  for (std::size_t i = 0; i < evaluation.strangers.size(); ++i) {
    const auto& strangers = evaluation.strangers[i];
    Lines lines(strangers.name);
    if (strangers.unfamiliar)
      lines.add("unfamiliar", "images", static_cast<double>(*strangers.unfamiliar));
    for (const auto& quality : evaluation.scores) {
      lines.add(quality.score, "auroc", quality.auroc[i]);
      lines.add(quality.score, "aupr_out", quality.detections[i].aupr_out);
      lines.add(quality.score, "aupr_in", quality.detections[i].aupr_in);
      lines.add(quality.score, "fpr95", quality.detections[i].fpr95);
    }
    text += lines.text();
  }
  return text;
}

}  // namespace penumbra::app
