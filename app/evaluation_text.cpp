// What `evaluate` prints for a person; evaluation.cpp has what it prints for programs.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/evaluation.h"
#include "app/table.h"

namespace penumbra::app {
namespace {

// "0.873 +- 0.004": half of the interval's width, where there is one.
std::string with_interval(const Interval& found) {
  if (found.high == found.low) return fmt::format("{:.3f}", found.value);
  return fmt::format("{:.3f} +-{:.3f}", found.value, (found.high - found.low) / 2);
}

// Each score once; programs get that of the verdicts by both of its names.
std::vector<ScoreQuality> each_once(const Evaluation& evaluation) {
  std::vector<ScoreQuality> shown;
  for (auto one : evaluation.scores) {
    if (one.score == evaluation.twin) continue;
    if (one.score == "epistemic") one.score += " by " + evaluation.estimator;
    shown.push_back(std::move(one));
  }
  return shown;
}

// Folders by their last name, or by the whole path where two have the same.
std::vector<std::string> short_names(const std::vector<Estranged>& strangers) {
  const auto last = [](const Estranged& one) {
    return std::filesystem::path(one.name).filename().string();
  };
  std::vector<std::string> names;
  names.reserve(strangers.size());
  for (const auto& one : strangers)
    names.push_back(std::count_if(strangers.begin(), strangers.end(),
                                  [&](const auto& other) { return last(other) == last(one); }) > 1
                        ? one.name
                        : last(one));
  return names;
}

// One table for all sets: a person looks for the score that is good on each.
std::string strangers_to_text(const Evaluation& evaluation,
                              const std::vector<ScoreQuality>& scores) {
  if (evaluation.strangers.empty()) return "";
  std::string text;
  for (const auto& [name, images, unfamiliar] : evaluation.strangers)
    text += unfamiliar ? fmt::format("\n{}: {} of {} pictures are called unfamiliar", name,
                                     *unfamiliar, images)
                       : fmt::format("\n{}: {} pictures", name, images);
  std::vector<std::vector<std::string>> rows{{"score"}};
  for (const auto& name : short_names(evaluation.strangers))
    for (const char* what : {"AUROC", "AUPR out", "AUPR in", "FPR95"})
      rows[0].push_back(fmt::format("{} {}", name, what));
  for (const auto& quality : scores) {
    rows.push_back({quality.score});
    for (const auto& found : quality.detections) {
      rows.back().push_back(with_interval(found.auroc));
      for (const auto& number : {found.aupr_out, found.aupr_in, found.fpr95})
        rows.back().push_back(fmt::format("{:.3f}", number.value));
    }
  }
  return text + "\n\n" + format_table(rows);
}

// Whether a score knows the model's own errors, and what is gained by answering only where it is
// low.
std::string selective_to_text(const std::vector<ScoreQuality>& scores) {
  std::vector<std::vector<std::string>> rows{{"score", "own errors AUROC", "AURC", "AUGRC",
                                              "answered at 5 % risk", "risk at 80 % answered"}};
  for (const auto& quality : scores) {
    const auto& found = quality.selective;
    rows.push_back({quality.score, quality.own_errors ? with_interval(*quality.own_errors) : "-",
                    with_interval(found.aurc), fmt::format("{:.4f}", found.augrc.value),
                    fmt::format("{:.1f} %", 100 * found.coverage_at_5_risk.value),
                    fmt::format("{:.2f} %", 100 * found.risk_at_80_coverage.value)});
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

}  // namespace

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
  const auto scores = each_once(evaluation);
  return text + selective_to_text(scores) + strangers_to_text(evaluation, scores);
}

}  // namespace penumbra::app
