// penumbra evaluate: how good the model of a run is on its test images.

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "app/command.h"
#include "app/evaluation.h"
#include "app/finished_run.h"
#include "app/prediction.h"
#include "app/progress.h"
#include "app/tell.h"
#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "penumbra/evaluate/certify.h"
#include "penumbra/evaluate/strangers.h"
#include "penumbra/model/image_inference.h"
#include "penumbra/train/experiment.h"

namespace fs = std::filesystem;

namespace penumbra::app {
namespace {

struct EvaluateArguments {
  fs::path run;
  std::string root, model = "best", format = "table";
  fs::path pictures;                   // where to write what is said of each test image
  std::vector<std::string> strangers;  // --ood
  int threads = 0, rounds = 1000;
};

// As CSV, or as JSON by the file's name. Pictures of a benchmark have a number for a name.
void write_pictures(const fs::path& file, const Images& images,
                    const std::vector<int64_t>& positions, const std::vector<Judgement>& said,
                    const std::vector<std::string>& classes, bool judged) {
  const bool json = file.extension() == ".jsonl";
  const PredictionFormat format{
      json ? PredictionFormat::Kind::kJsonl : PredictionFormat::Kind::kCsv, /*truth=*/true, judged};
  const auto* labels = images.labels.data_ptr<int64_t>();
  auto text = format.header();
  for (std::size_t i = 0; i < said.size(); ++i) {
    const auto position = static_cast<std::size_t>(positions[i]);
    Prediction prediction;
    prediction.file = name_of(images, positions[i]);
    prediction.truth = classes[static_cast<std::size_t>(labels[position])];
    prediction.label = classes[static_cast<std::size_t>(said[i].label)];
    prediction.judgement = said[i];
    text += format.line(prediction);
  }
  write_file(file, text);
}

Evaluation evaluate(const EvaluateArguments& arguments) {
  const auto names = stranger_names(arguments.strangers);
  auto experiment = reassemble(read_run_config(arguments.run), arguments.root, arguments.threads);
  const auto model = read_run_model(arguments.run, arguments.model, experiment);
  normalise_as(model, experiment);

  const bool given = experiment.test.size() > 0;
  const auto& images = given ? experiment.test : experiment.training.source.images;
  const auto positions = given ? all_positions(images) : experiment.split.test;
  if (positions.empty())
    fail(experiment.run.data,
         " has no test images to measure on: give it a folder test/, or at least three labels per "
         "class and train anew");
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
  const Bootstrap how{arguments.rounds, experiment.training.seed, at::get_num_threads()};
  evaluation.sampled = how.rounds > 0;
  evaluation.intervals = metric_intervals(output.logits, labels, how);
  evaluation.calibration_intervals = calibration_intervals(output.logits, labels, 1, how);
  const auto judge = judge_of(model.info);
  if (judge) {
    evaluation.verdicts = verdicts_of(*judge, output, labels);
    evaluation.calibrated_intervals =
        calibration_intervals(output.logits, labels, judge->temperature(), how);
  }
  const auto test = say(output, judge.get());
  if (!arguments.pictures.empty())
    write_pictures(arguments.pictures, images, positions, test.judgements, model.info.classes,
                   judge != nullptr);
  Reading reading;
  reading.threads = at::get_num_threads();
  reading.cache = data_root(arguments.root) / "packed";
  std::vector<Said> strangers;
  for (const auto& name : names) {
    const auto shown = open_strangers(name, data_root(arguments.root), reading, experiment);
    strangers.push_back(say(infer(*model.classifier, shown.images, all_positions(shown.images),
                                  model.info.normalisation),
                            judge.get()));
    const auto& said = strangers.back().judgements;
    Estranged row{name, shown.images.size(), {}};
    if (judge)
      row.unfamiliar = std::count_if(said.begin(), said.end(), [](const Judgement& one) {
        return one.verdict == Verdict::kUnfamiliar;
      });
    evaluation.strangers.push_back(row);
  }
  for (const auto& note : reading.notes) tell("penumbra: " + note);
  auto scores = ready_scores(test, strangers, judge.get());
  if (!strangers.empty()) {
    Progress progress("comparing", "scores");
    for (auto& more : fitted_scores(*model.classifier, experiment, test, strangers, scores,
                                    [&](int64_t n, int64_t of) { progress.update(n, of); }))
      scores.push_back(std::move(more));
  }
  if (judge) evaluation.estimator = judge->options().estimator;
  evaluation.twin = twin_of_epistemic(scores);
  evaluation.scores = qualities_of(scores, mistakes_of(output, labels), how);
  return evaluation;
}

}  // namespace

void add_evaluate(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("evaluate", "How good a run's model is on its test images");
  auto arguments = std::make_shared<EvaluateArguments>();
  command->add_option("RUN", arguments->run, "run folder")->required();
  command->add_option("--model", arguments->model, "best (on validation) or last")
      ->check(CLI::IsMember({"best", "last"}))
      ->capture_default_str();
  command->add_option("--format", arguments->format, "table, json or csv")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->capture_default_str();
  command
      ->add_option("--ood", arguments->strangers,
                   "strangers, a dataset's name or a folder: how well each score finds them")
      ->allow_extra_args(false);
  command->add_option("--pictures", arguments->pictures,
                      "file.csv or .jsonl to write what is said of each test image to");
  command->add_option("--bootstrap", arguments->rounds, "samples for 95 % intervals; 0: none")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  command->add_option("--data-root", arguments->root, "where datasets are kept");
  command->add_option("--threads", arguments->threads, "[all processors]")
      ->check(CLI::Range(1, 4096));
  command->footer(
      "Example:  penumbra evaluate runs/photos --format json --pictures each.csv\n"
      "          penumbra evaluate runs/clothes --ood mnist --ood noise");
  command->callback([=, &action] {
    action = [=] {
      const auto evaluation = evaluate(*arguments);
      std::cout << (arguments->format == "json"  ? json_text(to_json(evaluation), 2) + '\n'
                    : arguments->format == "csv" ? to_csv(evaluation)
                                                 : to_text(evaluation));
      return 0;
    };
  });
}

}  // namespace penumbra::app
