#include "app/run_folder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "app/tell.h"
#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "penumbra/core/folder_lock.h"
#include "penumbra/core/utf8.h"
#include "penumbra/data/split_file.h"
#include "penumbra/train/checkpoint.h"

namespace fs = std::filesystem;

namespace penumbra::app {
namespace {

// By which a configuration that somebody wrote is told from a run's.
constexpr std::string_view kFirstLine = "# a run of penumbra: every setting and its meaning\n";

constexpr const char* kMade[] = {"best.safetensors", "last.safetensors", "report.html", "state"};

bool is_run(const fs::path& folder) {
  const auto config = folder / "config.toml";
  return is_there(config) && is_there(folder / "split.csv") &&
         read_file(config).rfind(kFirstLine, 0) == 0;
}

// Settings that fit no picture are found out at the first step.
bool never_began(const fs::path& folder) {
  const auto metrics = folder / "metrics.jsonl";
  return is_run(folder) &&
         std::none_of(std::begin(kMade), std::end(kMade),
                      [&](const char* name) { return is_there(folder / name); }) &&
         (!is_there(metrics) || read_file(metrics).empty());
}

// Below runs/, by data, method and time.
fs::path new_name(const RunOptions& run) {
  const auto folder =
      fs::path("runs") / fmt::format("{}-{}-{:%Y%m%d-%H%M%S}", own_name(run.data), run.method,
                                     fmt::localtime(std::time(nullptr)));
  auto free = folder;
  // Another run of the same second.
  for (int number = 2; is_there(free); ++number)
    free = fmt::format("{}-{}", folder.string(), number);
  return free;
}

void refuse_what_is_there(const fs::path& folder, const std::string& split) {
  if (never_began(folder)) return;
  if (is_run(folder))
    fail(folder.string(), " holds a run already: 'penumbra train --resume ",
         quoted(folder.string()), "' goes on with it, --out names another folder");
  const auto refuse = [&](const char* name) {
    fail((folder / name).string(),
         " is there already and would be replaced: move it, or name another folder by --out");
  };
  for (const char* name : kMade)
    if (is_there(folder / name)) refuse(name);
  for (const char* name : {"config.toml", "metrics.jsonl"})
    if (is_there(folder / name)) refuse(name);
  // That of a run that was killed before its configuration was written is the same.
  if (is_there(folder / "split.csv") && read_file(folder / "split.csv") != split)
    refuse("split.csv");
}

}  // namespace

fs::path choose_folder(const TrainArguments& arguments, const RunOptions& run) {
  const auto folder = !arguments.resume.empty() ? fs::path(arguments.resume)
                      : !arguments.out.empty()  ? fs::path(arguments.out)
                                                : new_name(run);
  if (!is_utf8(folder.string()))
    fail("the run folder '", folder.string(), "' is not UTF-8, which its files need: expected ",
         "another --out");
  return folder;
}

void clear_unfinished(const fs::path& folder) {
  for (const auto& place : {folder, folder / "state"}) {
    refuse_links(place);
    remove_unfinished(place);
  }
}

void begin_folder(const fs::path& folder, const Experiment& experiment) {
  const auto split = split_text(experiment.split, experiment.training.source.images);
  refuse_what_is_there(folder, split);
  write_file(folder / "split.csv", split);
  write_config(folder, experiment);
}

void write_config(const fs::path& folder, const Experiment& experiment) {
  write_file(folder / "config.toml", std::string(kFirstLine) + to_toml(experiment.effective));
}

std::optional<StepBudget::Done> find_progress(const fs::path& folder, const Training& training) {
  if (const auto left = read_checkpoint(training.state, training.fingerprint, [](auto&) {}))
    return StepBudget::Done{left->step, left->facts.at("progress").get<double>(),
                            left->facts.at("seconds").get<double>()};
  if (is_there(folder / "last.safetensors"))
    fail(folder.string(), " is finished and has no checkpoint: there is nothing to go on with; ",
         "'penumbra evaluate ", quoted(folder.string()),
         "' uses its model, --out begins another run");
  return {};
}

}  // namespace penumbra::app
