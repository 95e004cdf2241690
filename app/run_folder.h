#pragma once
#include <filesystem>
#include <optional>

#include "app/train_arguments.h"
#include "penumbra/train/experiment.h"
#include "penumbra/train/step_budget.h"

namespace penumbra::app {

// Where a training goes: as told, or a new name below runs/. Refuses a name that is not UTF-8.
std::filesystem::path choose_folder(const TrainArguments& arguments, const RunOptions& run);

// Refuses links in a run's folder, and removes what a killed run left half-written there.
void clear_unfinished(const std::filesystem::path& folder);

// Writes the split and the configuration of a new run. What lies in its folder is somebody's: a
// model, a run, a configuration, or another split. Not so the rest of a run that was refused before
// its first report.
void begin_folder(const std::filesystem::path& folder, const Experiment& experiment);

// The configuration of a run as it holds now.
void write_config(const std::filesystem::path& folder, const Experiment& experiment);

// What a run that goes on has behind it; nothing without a checkpoint. Error where it is finished.
std::optional<StepBudget::Done> find_progress(const std::filesystem::path& folder,
                                              const Training& training);

}  // namespace penumbra::app
