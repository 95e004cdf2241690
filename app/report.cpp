// penumbra report: one page that shows what runs learnt, how it went and how far to trust them.

#include "app/report.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "app/command.h"
#include "app/finished_run.h"
#include "app/process_setup.h"
#include "app/progress.h"
#include "app/tell.h"
#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "penumbra/report/page.h"
#include "penumbra/report/run_report.h"

namespace fs = std::filesystem;

namespace penumbra::app {
namespace {

struct ReportArguments {
  std::vector<std::string> runs, strangers;
  std::string output = "report.html", root;
  int64_t points = 2000;
  int threads = 0;
};

// A run as the page shows it, and which pictures had a label.
struct ReportedRun {
  Json shown;
  std::vector<int64_t> labelled;
};

// Noise, which needs no files, so that every page says how strangers are found. None where it is no
// stranger (a run on noise itself) or cannot be shown (a model for oblong pictures).
std::vector<Strangers> usual_strangers(Reading& reading, const Experiment& experiment) {
  try {
    return {open_strangers("noise", {}, reading, experiment)};
  } catch (const Error&) {
    return {};
  }
}

ReportedRun report_run(const fs::path& folder, const ReportArguments& arguments) {
  auto experiment = reassemble(read_run_config(folder), arguments.root, arguments.threads);
  const auto model = read_run_model(folder, "best", experiment);
  normalise_as(model, experiment);
  Reading reading;
  reading.threads = set_up_process(arguments.threads);
  reading.cache = data_root(arguments.root) / "packed";
  std::vector<Strangers> strangers;
  for (const auto& name : stranger_names(arguments.strangers))
    strangers.push_back(open_strangers(name, data_root(arguments.root), reading, experiment));
  if (strangers.empty()) strangers = usual_strangers(reading, experiment);
  for (const auto& note : reading.notes) tell("penumbra: " + note);
  Progress progress("drawing the map of", "iterations");
  ReportOptions options;
  options.points = arguments.points;
  options.progress = [&](int64_t done, int64_t all) { progress.update(done, all); };
  return {report_of(folder, experiment, model, strangers, options), experiment.split.labelled};
}

// A run of the method `supervised` on the same labelled pictures, by the same network, is what
// others are measured by.
bool is_baseline(const ReportedRun& other, const ReportedRun& run) {
  const auto &what = run.shown["what"], &of_other = other.shown["what"];
  return of_other["method"] == "supervised" && what["method"] != "supervised" &&
         other.shown.contains("result") && what["data"] == of_other["data"] &&
         what["seed"] == of_other["seed"] && what["backbone"] == of_other["backbone"] &&
         run.shown["classes"] == other.shown["classes"] && run.labelled == other.labelled;
}

// By its place in the report: two runs may have one name.
void name_baselines(std::vector<ReportedRun>& runs) {
  for (auto& run : runs)
    for (std::size_t i = 0; i < runs.size() && !run.shown.contains("baseline"); ++i)
      if (const auto& other = runs[i].shown; is_baseline(runs[i], run))
        run.shown["baseline"] = {{"name", other["name"]},
                                 {"run", i},
                                 {"seconds", other["what"]["seconds"]},
                                 {"accuracy", other["result"]["accuracy"]}};
}

int report_command(const ReportArguments& arguments) {
  std::vector<ReportedRun> reported;
  for (const auto& run : arguments.runs) reported.push_back(report_run(run, arguments));
  name_baselines(reported);
  Json runs = Json::array();
  for (auto& run : reported) runs.push_back(std::move(run.shown));
  const auto page = report_page({{"version", PENUMBRA_VERSION}, {"runs", runs}});
  write_file(arguments.output, page);
  std::cout << fmt::format("{}: {} run{}, {:.1f} MB; open it in a browser\n", arguments.output,
                           runs.size(), runs.size() == 1 ? "" : "s",
                           static_cast<double>(page.size()) / 1e6);
  return 0;
}

}  // namespace

std::string write_report(const fs::path& folder, const Experiment& experiment) {
  if (!has_report_page()) return "no report.html: this program was built without its page";
  const auto model = read_model(folder / "best.safetensors");
  Progress progress("drawing the map of", "iterations");
  ReportOptions options;
  options.points = kPicturesOfReport;
  options.progress = [&](int64_t done, int64_t all) { progress.update(done, all); };
  Reading reading;
  const auto run =
      report_of(folder, experiment, model, usual_strangers(reading, experiment), options);
  write_file(folder / "report.html",
             report_page({{"version", PENUMBRA_VERSION}, {"runs", Json::array({run})}}));
  return "what it learnt and how far to trust it:  " + (folder / "report.html").string();
}

void add_report(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "report", "One page that shows what runs learnt and how far to trust them");
  auto arguments = std::make_shared<ReportArguments>();
  command->add_option("RUNS", arguments->runs, "run folders; with several, they are compared")
      ->required();
  command->add_option("-o,--output", arguments->output, "HTML file to write")
      ->capture_default_str();
  command
      ->add_option("--ood", arguments->strangers,
                   "strangers to show, too: a dataset's name or a folder [noise]")
      ->allow_extra_args(false);
  command->add_option("--points", arguments->points, "pictures on the map")
      ->check(CLI::Range(int64_t{20}, int64_t{5000}))
      ->capture_default_str();
  command->add_option("--data-root", arguments->root, "where datasets are kept");
  command->add_option("--threads", arguments->threads, "[all processors]")
      ->check(CLI::Range(1, 4096));
  command->footer(
      "The page needs no network and no other file.\n"
      "Example:  penumbra report runs/clothes runs/baseline -o clothes.html --ood mnist");
  command->callback([=, &action] { action = [=] { return report_command(*arguments); }; });
}

}  // namespace penumbra::app
