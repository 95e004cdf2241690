// penumbra sweep: a grid of runs, one after the other, each in a process of its own.

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "app/command.h"
#include "app/progress.h"
#include "app/tell.h"
#include "penumbra/core/attached_process.h"
#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "penumbra/core/folder_lock.h"
#include "penumbra/core/signals.h"
#include "penumbra/evaluate/result_table.h"
#include "penumbra/train/shard.h"
#include "penumbra/train/sweep_results.h"

namespace fs = std::filesystem;

namespace penumbra::app {
namespace {

using Clock = std::chrono::steady_clock;

struct SweepArguments {
  fs::path file;
  std::string root, table, shard;
};

// This very program, also when its file is replaced while the sweep goes on: all runs of a table
// are made by the same one.
ProcessResult run_penumbra(std::vector<std::string> arguments, const std::string& root) {
  if (!root.empty()) arguments.insert(arguments.end(), {"--data-root", root});
  Command command;
  command.program = "/proc/self/exe";
  command.arguments = std::move(arguments);
  return run_attached(command);
}

// The last file that a training writes.
bool is_trained(const fs::path& folder) { return is_there(folder / "last.safetensors"); }

// A folder that was begun with other settings must not be taken for this run.
void claim_folder(const fs::path& folder, const SweepRun& run) {
  std::string settings;
  for (const auto& [name, value] : run.settings) settings += fmt::format("{}={}\n", name, value);
  const auto file = folder / "sweep.txt";
  if (!is_there(file)) {
    if (is_there(folder / "config.toml"))
      fail(folder.string(), " holds a run that this sweep did not begin: expected another 'out'");
    fs::create_directories(folder);
    write_file(file, settings);
  } else if (read_file(file) != settings) {
    fail(folder.string(), " was begun with other settings (they are in ", file.string(),
         "): remove the folder, or name another 'out' in [sweep]");
  }
}

std::vector<std::string> train_arguments(const fs::path& folder, const SweepRun& run) {
  if (is_there(folder / "config.toml")) return {"train", "--resume", folder.string()};
  std::vector<std::string> arguments{"train", value_of(run, "run.data"), "--out", folder.string()};
  for (const auto& [name, value] : run.settings)
    if (name != "arm")
      arguments.insert(arguments.end(), {"--set", fmt::format("{}={}", name, value)});
  return arguments;
}

// Trains, or goes on with it, and evaluates. Error when the run fails; null when interrupted.
Json finish_run(const fs::path& folder, const SweepRun& run, const std::string& root) {
  claim_folder(folder, run);
  if (!is_trained(folder)) {
    const auto training = run_penumbra(train_arguments(folder, run), root);
    if (interrupted() && !is_trained(folder)) return nullptr;
    if (training.status != 0)
      fail("training ended with status ", training.status, ", its message stands above");
    if (!is_trained(folder)) fail("training was stopped before its end");
  }
  const auto evaluation = run_penumbra({"evaluate", folder.string(), "--format", "json"}, root);
  if (interrupted() && evaluation.status != 0) return nullptr;
  if (evaluation.status != 0)
    fail("evaluation ended with status ", evaluation.status, ", its message stands above");
  try {
    return result_row(run, parse_json(evaluation.output), folder);
  } catch (const Json::exception& error) {
    fail("evaluation printed no result (", error.what(), "): expected accuracy and labels_used");
  }
}

// Seconds that a run takes: as its budget says, or as those finished now did, or as earlier rows
// say; 0 when nothing is known.
double expected_seconds(const SweepRun& run, const std::vector<double>& finished_now,
                        const std::vector<Json>& rows) {
  const auto minutes = value_of(run, "run.minutes");
  if (const double budget = std::strtod(minutes.c_str(), nullptr); budget > 0) return 60 * budget;
  if (!finished_now.empty()) return mean(finished_now);
  std::vector<double> earlier;
  for (const auto& row : rows)
    if (row.contains("seconds")) earlier.push_back(row.at("seconds").get<double>());
  return earlier.empty() ? 0 : mean(earlier);
}

struct Failure {
  std::string name, message;
};

int report_end(const SweepArguments& arguments, const Sweep& sweep,
               const std::vector<Failure>& failures) {
  if (failures.empty() && !arguments.shard.empty()) {
    tell(fmt::format(
        "all runs of part {} are finished; --table takes every part that lies beside {}",
        arguments.shard, sweep.results.string()));
    return 0;
  }
  if (failures.empty()) {
    tell(fmt::format("all {} runs are finished; next:  penumbra sweep {} --table markdown",
                     sweep.runs.size(), arguments.file.string()));
    return 0;
  }
  tell(fmt::format("{} of {} runs failed; the same command tries them again:", failures.size(),
                   sweep.runs.size()));
  for (const auto& failure : failures) tell(fmt::format("  {}: {}", failure.name, failure.message));
  return 2;
}

int sweep_command(const SweepArguments& arguments) {
  const auto sweep = read_sweep(arguments.file);
  const auto shard = parse_shard(arguments.shard);
  if (sweep.results.has_parent_path()) fs::create_directories(sweep.results.parent_path());
  fs::create_directories(sweep.out);
  // Two of the same part would wait for each other's runs and write over each other's rows.
  const FolderLock lock(sweep.out, "." + results_of(sweep, shard).filename().string() + ".lock");
  const auto finished = all_results(sweep);
  std::vector<std::size_t> open;  // positions of the runs that are left
  std::size_t mine = 0;
  for (std::size_t i = shard.number - 1; i < sweep.runs.size(); i += shard.of, ++mine)
    if (find_result(finished, sweep.runs[i]) == nullptr) open.push_back(i);

  const InterruptScope interrupts;
  std::vector<Failure> failures;
  std::vector<double> finished_now;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const auto& run = sweep.runs[open[i]];
    double left = 0;
    for (std::size_t j = i; j < open.size(); ++j)
      left += expected_seconds(sweep.runs[open[j]], finished_now, finished);
    tell(fmt::format("run {} of {}: {}{}", open[i] + 1, sweep.runs.size(), run.name,
                     left > 0 ? fmt::format(", about {} left in all", format_duration(left)) : ""));
    const auto start = Clock::now();
    Json row;
    try {
      row = finish_run(sweep.out / run.name, run, arguments.root);
    } catch (const std::runtime_error& error) {  // ours, or of the file system
      tell(fmt::format("run {} failed: {}", run.name, error.what()));
      failures.push_back({run.name, error.what()});
    }
    if (!row.is_null()) {
      // Somebody may have put rows of another machine there meanwhile.
      auto rows = read_results(results_of(sweep, shard));
      if (find_result(rows, run) == nullptr) rows.push_back(row);
      write_results(results_of(sweep, shard), rows);
      finished_now.push_back(std::chrono::duration<double>(Clock::now() - start).count());
      tell(fmt::format("run {}: test accuracy {:.2f} %", run.name,
                       100 * row.at("accuracy").get<double>()));
    }
    if (interrupted()) {
      const auto option = [](const char* name, const std::string& value) {
        return value.empty() ? "" : fmt::format(" {} {}", name, value);
      };
      tell(
          fmt::format("stopped with {} of {} runs finished, nothing is lost; go on with:  penumbra "
                      "sweep {}{}{}",
                      mine - open.size() + finished_now.size(), mine, arguments.file.string(),
                      option("--shard", arguments.shard), option("--data-root", arguments.root)));
      return 0;
    }
  }
  return report_end(arguments, sweep, failures);
}

int table_command(const SweepArguments& arguments) {
  const auto sweep = read_sweep(arguments.file);
  const auto table = make_result_table(sweep, all_results(sweep));
  std::cout << (arguments.table == "csv"     ? to_csv(table)
                : arguments.table == "latex" ? to_latex(table)
                                             : to_markdown(table));
  return 0;
}

}  // namespace

void add_sweep(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("sweep", "Train a grid of runs, and make a table of them");
  auto arguments = std::make_shared<SweepArguments>();
  command->add_option("FILE", arguments->file, "TOML file with [sweep], [grid] and [set]")
      ->required();
  auto* table =
      command->add_option("--table", arguments->table, "run nothing; print markdown, csv or latex")
          ->check(CLI::IsMember({"markdown", "csv", "latex"}));
  command
      ->add_option("--shard", arguments->shard,
                   "i/n: only the i-th of n parts, on several machines one each")
      ->excludes(table);  // a table has every part
  command->add_option("--data-root", arguments->root, "where datasets are kept");
  command->footer(
      "Finished runs are skipped, begun ones are gone on with. Ctrl-C once saves and leaves.\n"
      "Example:  penumbra sweep configs/fashion_mnist_100.toml\n"
      "          penumbra sweep configs/fashion_mnist_100.toml --table markdown");
  command->callback([=, &action] {
    action = [=] {
      return arguments->table.empty() ? sweep_command(*arguments) : table_command(*arguments);
    };
  });
}

}  // namespace penumbra::app
