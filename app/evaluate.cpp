// penumbra evaluate: how good the model of a run is on its test images.

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <optional>

#include "app/command.h"
#include "app/finished_run.h"
#include "app/table.h"
#include "penumbra/core/error.h"
#include "penumbra/core/json.h"
#include "penumbra/evaluate/certify.h"
#include "penumbra/evaluate/evaluation_json.h"
#include "penumbra/evaluate/strangers.h"
#include "penumbra/model/image_inference.h"
#include "penumbra/train/experiment.h"

namespace fs = std::filesystem;

namespace penumbra::app {
namespace {

struct EvaluateArguments {
  fs::path run;
  std::string root, model = "best", format = "table";
  std::vector<std::string> strangers;  // --ood
  int threads = 0;
};

// What is said of pictures of something else.
struct Estranged {
  std::string name;
  int64_t images = 0, unfamiliar = 0;
};

struct Evaluation {
  std::string data, model;
  int64_t labels_used = 0, validation_labels = 0;
  std::vector<std::string> classes;
  Metrics metrics;
  Calibration calibration;           // as the model says it
  std::optional<Verdicts> verdicts;  // where the model has uncertainties
  std::vector<Estranged> strangers;  // as asked for
  std::vector<ScoreQuality> scores;  // how well each tells them from test images
};

Evaluation evaluate(const EvaluateArguments& arguments) {
  const auto experiment =
      reassemble(read_run_config(arguments.run), arguments.root, arguments.threads);
  const auto model = read_model(arguments.run / (arguments.model + ".safetensors"));

  const bool given = experiment.test.size() > 0;
  const auto& images = given ? experiment.test : experiment.training.source.images;
  const auto positions = given ? all_positions(images) : experiment.split.test;
  const auto labels = images.labels.index_select(0, torch::tensor(positions, torch::kLong));
  Evaluation evaluation;
  evaluation.data = experiment.run.data;
  evaluation.model = arguments.model;
  evaluation.labels_used = static_cast<int64_t>(experiment.split.labelled.size());
  evaluation.validation_labels =
      experiment.validation.size() + static_cast<int64_t>(experiment.split.validation.size());
  evaluation.classes = model.info.classes;
  const auto output = infer(*model.classifier, images, positions, model.info.normalisation);
  evaluation.metrics = measure(output.logits, labels);
  evaluation.calibration = calibration_of(output.logits, labels);
  const auto judge = judge_of(model.info);
  if (judge) evaluation.verdicts = verdicts_of(*judge, output, labels);
  if (arguments.strangers.empty()) return evaluation;

  Reading reading;
  reading.threads = at::get_num_threads();
  reading.cache = data_root(arguments.root) / "packed";
  std::vector<Output> said;
  for (const auto& name : arguments.strangers) {
    const auto shown = open_strangers(name, data_root(arguments.root), reading, experiment);
    said.push_back(infer(*model.classifier, shown.images, all_positions(shown.images),
                         model.info.normalisation));
    Estranged row{name, shown.images.size(), 0};
    if (judge)
      for (const auto& one : judge->judge(said.back()))
        row.unfamiliar += one.verdict == Verdict::kUnfamiliar ? 1 : 0;
    evaluation.strangers.push_back(row);
  }
  evaluation.scores = compare_scores(*model.classifier, experiment, output, labels, said);
  return evaluation;
}

Json strangers_to_json(const Evaluation& evaluation) {
  Json all = Json::array();
  for (std::size_t i = 0; i < evaluation.strangers.size(); ++i) {
    const auto& strangers = evaluation.strangers[i];
    Json scores = Json::array();
    for (const auto& quality : evaluation.scores) {
      const auto& found = quality.detections[i];
      scores.push_back({{"score", quality.score},
                        {"own_errors_auroc", quality.own_errors},
                        {"aurc", quality.selective.aurc},
                        {"augrc", quality.selective.augrc},
                        {"coverage_at_5_risk", quality.selective.coverage_at_5_risk},
                        {"risk_at_80_coverage", quality.selective.risk_at_80_coverage},
                        {"auroc", found.auroc},
                        {"aupr_out", found.aupr_out},
                        {"aupr_in", found.aupr_in},
                        {"fpr95", found.fpr95}});
    }
    all.push_back({{"name", strangers.name},
                   {"images", strangers.images},
                   {"unfamiliar", strangers.unfamiliar},
                   {"scores", scores}});
  }
  return all;
}

// One table for all sets: a person looks for the score that is good on each.
std::string strangers_to_text(const Evaluation& evaluation) {
  std::string text;
  std::vector<std::string> head{"score", "own errors AUROC", "AURC"};
  for (const auto& strangers : evaluation.strangers) {
    text += fmt::format("\n{}: {} of {} pictures are called unfamiliar", strangers.name,
                        strangers.unfamiliar, strangers.images);
    for (const char* what : {"AUROC", "AUPR", "FPR95"})
      head.push_back(fmt::format("{} {}", fs::path(strangers.name).filename().string(), what));
  }
  std::vector<std::vector<std::string>> rows{head};
  for (const auto& quality : evaluation.scores) {
    rows.push_back({quality.score, fmt::format("{:.3f}", quality.own_errors),
                    fmt::format("{:.3f}", quality.selective.aurc)});
    for (const auto& found : quality.detections)
      for (const double value : {found.auroc, found.aupr_out, found.fpr95})
        rows.back().push_back(fmt::format("{:.3f}", value));
  }
  return text + "\n\n" + format_table(rows);
}

Json to_json(const Evaluation& evaluation) {
  const auto& metrics = evaluation.metrics;
  Json json{{"data", evaluation.data},
            {"model", evaluation.model},
            {"labels_used", evaluation.labels_used},
            {"validation_labels", evaluation.validation_labels}};
  json.update(penumbra::to_json(metrics));
  json["calibration"] = penumbra::to_json(evaluation.calibration, metrics.nll);
  json["per_class"] = per_class_json(metrics, evaluation.classes);
  json["confusion"] = metrics.confusion;
  if (!evaluation.strangers.empty()) json["strangers"] = strangers_to_json(evaluation);
  if (!evaluation.verdicts) return json;
  const auto& verdicts = *evaluation.verdicts;
  json["calibrated"] = penumbra::to_json(verdicts.calibration, verdicts.nll);
  json["calibrated"]["temperature"] = verdicts.temperature;
  json["verdicts"] = penumbra::to_json(verdicts);
  return json;
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
  const auto add = [&](const std::string& name, double nll, const Calibration& found) {
    rows.push_back({name, fmt::format("{:.4f}", nll), fmt::format("{:.4f}", found.brier),
                    fmt::format("{:.4f}", found.ece), fmt::format("{:.4f}", found.adaptive_ece),
                    fmt::format("{:.4f}", found.mce)});
  };
  add("as the model says them", evaluation.metrics.nll, evaluation.calibration);
  if (const auto& verdicts = evaluation.verdicts)
    add(fmt::format("at temperature {:.2f}", verdicts->temperature), verdicts->nll,
        verdicts->calibration);
  return '\n' + format_table(rows);
}

std::string to_text(const Evaluation& evaluation) {
  const auto& metrics = evaluation.metrics;
  auto text = fmt::format(
      "{}: {} test images, {} labels to train with, {} labels to choose the model with\n\n"
      "accuracy           {:.2f} % (95 % interval {:.2f} to {:.2f})\n"
      "top-5 accuracy     {:.2f} %\nbalanced accuracy  {:.2f} %\n\n",
      evaluation.data, metrics.images, evaluation.labels_used, evaluation.validation_labels,
      100 * metrics.accuracy.value, 100 * metrics.accuracy.low, 100 * metrics.accuracy.high,
      100 * metrics.top5, 100 * metrics.balanced_accuracy);
  std::vector<std::vector<std::string>> rows{
      {"class", "images", "precision", "recall", "most often taken for"}};
  for (std::size_t c = 0; c < metrics.per_class.size(); ++c) {
    const auto& of_class = metrics.per_class[c];
    rows.push_back({evaluation.classes[c], std::to_string(of_class.images),
                    fmt::format("{:.1f} %", 100 * of_class.precision),
                    fmt::format("{:.1f} %", 100 * of_class.recall), most_confused(evaluation, c)});
  }
  text += format_table(rows) + calibration_to_text(evaluation);
  if (evaluation.verdicts) text += verdicts_to_text(*evaluation.verdicts);
  if (!evaluation.strangers.empty()) text += strangers_to_text(evaluation);
  return text;
}

}  // namespace

void add_evaluate(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("evaluate", "How good a run's model is on its test images");
  auto arguments = std::make_shared<EvaluateArguments>();
  command->add_option("RUN", arguments->run, "run folder")->required();
  command->add_option("--model", arguments->model, "best (on validation) or last")
      ->check(CLI::IsMember({"best", "last"}))
      ->capture_default_str();
  command->add_option("--format", arguments->format, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  command->add_option("--ood", arguments->strangers,
                      "strangers, a dataset's name or a folder: how well each score finds them");
  command->add_option("--data-root", arguments->root, "where datasets are kept");
  command->add_option("--threads", arguments->threads, "[all processors]")
      ->check(CLI::PositiveNumber);
  command->footer(
      "Example:  penumbra evaluate runs/photos --format json\n"
      "          penumbra evaluate runs/clothes --ood mnist --ood noise");
  command->callback([=, &action] {
    action = [=] {
      const auto evaluation = evaluate(*arguments);
      std::cout << (arguments->format == "json" ? json_text(to_json(evaluation), 2) + '\n'
                                                : to_text(evaluation));
      return 0;
    };
  });
}

}  // namespace penumbra::app
