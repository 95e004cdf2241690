// penumbra train: a run folder with the model, its metrics, the split and the configuration.

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include "app/certify.h"
#include "app/command.h"
#include "app/minutes.h"
#include "app/process_setup.h"
#include "app/progress.h"
#include "app/report.h"
#include "app/run_folder.h"
#include "app/table.h"
#include "app/tell.h"
#include "app/train_arguments.h"
#include "app/train_line.h"
#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "penumbra/core/folder_lock.h"
#include "penumbra/core/parallel.h"
#include "penumbra/core/signals.h"
#include "penumbra/evaluate/certify.h"
#include "penumbra/evaluate/metrics.h"
#include "penumbra/model/image_inference.h"
#include "penumbra/model/initialise.h"
#include "penumbra/train/experiment.h"
#include "penumbra/train/leaks.h"
#include "penumbra/train/run_log.h"
#include "penumbra/train/watch.h"

namespace fs = std::filesystem;

namespace penumbra::app {
namespace {

using Clock = std::chrono::steady_clock;

// Images to choose the model with, or to judge it by.
struct Judges {
  Images images;
  std::vector<int64_t> positions;

  Metrics measure(Classifier& classifier, const Normalisation& normalisation) const {
    const auto labels = images.labels.index_select(0, torch::tensor(positions, torch::kLong));
    return penumbra::measure(infer(classifier, images, positions, normalisation).logits, labels);
  }
};

Judges judges(const Images& given, const Images& train, const std::vector<int64_t>& held_out) {
  return given.size() > 0 ? Judges{given, all_positions(given)} : Judges{train, held_out};
}

// The configuration that the run had, or has from now on.
Experiment assemble_run(const TrainArguments& arguments, const Config& config, Reading& reading,
                        Clock::time_point start, TrainLine& line, std::optional<Minutes>& minutes) {
  auto with_steps = config;
  {
    auto experiment = assemble(config, data_root(arguments.root), reading);
    for (const auto& note : experiment.notes) line.say(note);
    if (experiment.run.minutes == 0 || !arguments.resume.empty()) return experiment;
    minutes.emplace(experiment.run.minutes, start);
    const auto plan = minutes->plan(experiment);
    line.say(fmt::format("{:g} minutes are about {} steps on this machine", experiment.run.minutes,
                         plan.steps));
    // Measured anew, it might be worth another network than the one whose steps were timed.
    with_steps.set("run.cores", fmt::format("{}", experiment.run.cores), "this machine");
    with_steps.set("train.steps", std::to_string(plan.steps), "--minutes");
    with_steps.set("train.evaluations", std::to_string(plan.evaluations), "--minutes");
  }                          // its pictures may take half of the memory
  reading.problems.clear();  // they are found again, and so are notes
  reading.notes.clear();
  return assemble(with_steps, data_root(arguments.root), reading);
}

// Trains, and looks at the clock now and then: the run stops at a checkpoint, gets the number of
// steps that fits what is left, and goes on.
TrainResult train_within(std::optional<Minutes>& minutes, Experiment& experiment,
                         const fs::path& folder, TrainEvents events) {
  events.stop = [&] { return interrupted() || (minutes && minutes->due()); };
  auto result = train(experiment.training, events);
  while (!result.finished && !interrupted()) {
    set_steps(experiment, minutes->steps(experiment, result));
    write_config(folder, experiment);
    result = train(experiment.training, events);
  }
  return result;
}

void say_what_is_trained(const Experiment& experiment, const fs::path& folder, TrainLine& line) {
  const auto& run = experiment.run;
  const auto validation = experiment.validation.size() > 0
                              ? experiment.validation.size()
                              : static_cast<int64_t>(experiment.split.validation.size());
  line.say(fmt::format(
      "{} on {}: {} labels to train with, {} unlabelled images, {} labels to "
      "choose the model with; {}, {} steps of {}, preset {}, {}, {} kernels, {} threads",
      run.method, run.data, experiment.split.labelled.size(), experiment.split.unlabelled.size(),
      validation, run.backbone, experiment.training.options.steps,
      experiment.training.options.batch, run.preset, to_string(experiment.training.precision),
      to_string(experiment.training.kernels), at::get_num_threads()));
  line.say("run folder: " + folder.string());
}

// What the configuration of a run says of its split; read_run_config gives the run's own.
std::string split_setting(const fs::path& folder) {
  Config config;
  config.read_file(folder / "config.toml");
  std::string split;
  config.section("run").read("split", split, "");
  return split;
}

void say_what_was_read(const Reading& reading, TrainLine& line) {
  for (const auto& note : reading.notes) line.say(note);
  if (reading.problems.empty()) return;
  const auto count = reading.problems.size();
  const auto what = count == 1 ? std::string("1 picture cannot be read and is skipped")
                               : fmt::format("{} pictures cannot be read and are skipped", count);
  line.say(fmt::format("{}; the first: {} ('penumbra data inspect' lists all)", what,
                       to_string(reading.problems.front())));
}

// Weights to start from, where they fit.
void take_weights(const Experiment& experiment, TrainLine& line) {
  std::vector<std::vector<std::string>> rows{{"tensor", "taken", "why not"}};
  for (const auto& row :
       initialise(*experiment.training.student, experiment.run.init, experiment.classes))
    rows.push_back({row.name, row.taken ? "yes" : "no", row.reason});
  line.say(format_table(rows));
}

void print_result(const Metrics& metrics, const TrainResult& result, const fs::path& folder) {
  std::cout << fmt::format("test accuracy {:.2f} % ({:.2f} to {:.2f}) on {} images",
                           100 * metrics.accuracy.value, 100 * metrics.accuracy.low,
                           100 * metrics.accuracy.high, metrics.images);
  if (result.best_accuracy >= 0)
    std::cout << fmt::format(", by the model of step {} (validation {:.2f} %)", result.best_step,
                             100 * result.best_accuracy);
  std::cout << fmt::format("\n{} of training; next:  penumbra evaluate {}\n",
                           format_duration(result.seconds), quoted(folder.string()));
}

// Uncertainties, the report, and what the best model is worth on test images.
void end_training(Experiment& experiment, const TrainResult& result, const fs::path& folder,
                  TrainLine& line) {
  const bool fits = experiment.judge.fit;
  line.say(
      fits ? certify(folder, experiment)
           : fmt::format("no uncertainties yet:  penumbra certify {}", quoted(folder.string())));
  if (experiment.run.report) line.say(write_report(folder, experiment));
  // Comes last: where it is, everything is.
  auto last = experiment.model;
  // Judged in the precision in which it will be read back.
  result.teacher->set_precision(Precision::kFp32);
  result.teacher->set_kernels(fastest_kernels());
  if (const auto judge = fits ? fit_judge(*result.teacher, experiment) : nullptr)
    attach(*judge, last);
  write_model(folder / "last.safetensors", *result.teacher, last);
  const auto test =
      judges(experiment.test, experiment.training.source.images, experiment.split.test);
  if (test.positions.empty()) {
    std::cout << "there is no test set; the model is in " << folder.string() << '\n';
    return;
  }
  auto best = read_model(folder / "best.safetensors");
  print_result(test.measure(*best.classifier, best.info.normalisation), result, folder);
}

int train_command(const TrainArguments& arguments) {
  const auto start = Clock::now();
  const bool resumed = !arguments.resume.empty();
  const InterruptScope interrupts;
  TrainLine line;
  const auto config = arguments.config();
  Reading reading;
  reading.strict = arguments.strict;
  reading.threads = set_up_process(config);
  reading.cache = data_root(arguments.root) / "packed";
  Progress progress("reading", "pictures");
  reading.progress = [&](int64_t done, int64_t total) { progress.update(done, total); };
  std::optional<Minutes> minutes;
  auto experiment = assemble_run(arguments, config, reading, start, line, minutes);
  say_what_was_read(reading, line);
  if (!resumed)
    for (const auto& leak : describe_leaks(experiment)) line.say(leak);

  const auto folder = choose_folder(arguments, experiment.run);
  if (!resumed) fs::create_directories(folder);
  const FolderLock lock(folder);
  clear_unfinished(folder);
  if (!resumed) begin_folder(folder, experiment);
  auto& training = experiment.training;
  training.state = folder / "state";
  training.fingerprint = experiment.fingerprint;
  std::optional<StepBudget::Done> done;
  if (resumed) {
    done = find_progress(folder, training);
    if (!done) line.say("there is no checkpoint to go on from: the run begins anew");
  }
  if (!experiment.run.init.empty() && !done) take_weights(experiment, line);
  say_what_is_trained(experiment, folder, line);
  if (experiment.run.minutes > 0 && resumed) {
    // What its configuration says of a split stays: only this folder's run has this one.
    set_effective(experiment, "run.split", split_setting(folder));
    minutes.emplace(experiment.run.minutes, start);
    // Where no checkpoint can be read the run begins anew, and so does its time.
    minutes->go_on(experiment, done.value_or(StepBudget::Done{}));
  }

  const auto validation =
      judges(experiment.validation, training.source.images, experiment.split.validation);
  const auto save_best = [&](Classifier& teacher) {
    lock.check();
    write_model(folder / "best.safetensors", teacher, experiment.model);
  };
  std::unique_ptr<RunLog> log;
  Watch watch;
  TrainEvents events;
  events.report = [&](const TrainReport& report) {
    log->write(report);
    if (const auto advice = watch.see(report)) line.say(*advice);
    // Later steps may cost more than those so far, which a budget of minutes knows.
    const auto to_do = static_cast<double>(report.steps - report.step);
    line.draw(report, minutes ? std::max(0.0, minutes->left())
                              : report.seconds / static_cast<double>(report.step) * to_do);
  };
  events.note = [&](const std::string& text) { line.say(text); };
  events.keep = [&] {
    lock.check();
    log->sync();
  };
  events.begin = [&](int64_t step) {
    if (log) return;  // it only looked at the clock
    log = std::make_unique<RunLog>(folder, step);
    if (step > 0) line.say(fmt::format("going on after step {}", step));
  };
  if (!validation.positions.empty())
    events.validate = [&](Classifier& teacher) {
      return validation.measure(teacher, experiment.model.normalisation).accuracy.value;
    };
  events.best = [&](Classifier& teacher, int64_t) { save_best(teacher); };

  const auto result = train_within(minutes, experiment, folder, events);
  if (!result.finished) {
    line.say(
        fmt::format("stopped after step {} of {}, nothing is lost; go on with:  penumbra "
                    "train --resume {}",
                    result.steps, training.options.steps, quoted(folder.string())));
    return 0;
  }
  if (validation.positions.empty()) save_best(*result.teacher);
  end_training(experiment, result, folder, line);
  return 0;
}

}  // namespace

void add_train(CLI::App& app, Action& action) {
  auto* command =
      app.add_subcommand("train", "Train a classifier from few labels and many pictures");
  auto arguments = std::make_shared<TrainArguments>();
  arguments->add_to(*command);
  command->footer(
      "Ctrl-C once finishes the step, saves and leaves.\n"
      "Example:  penumbra train photos/\n"
      "          penumbra train fashion_mnist --labels 100 --minutes 3 --method fixmatch");
  command->callback([=, &action] {
    action = [=] {
      if (arguments->data.empty() == arguments->resume.empty() && arguments->files.empty())
        fail("expected DATA (a dataset's name or a folder), or --resume RUN");
      return train_command(*arguments);
    };
  });
}

}  // namespace penumbra::app
