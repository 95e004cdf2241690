#pragma once
#include <filesystem>
#include <string>

#include "app/train_arguments.h"
#include "penumbra/train/experiment.h"

namespace penumbra::app {

// Where a training goes: as told, or a new name below runs/.
std::filesystem::path choose_folder(const TrainArguments& arguments, const RunOptions& run);

// What lies in the folder of a new run is somebody's: a model, a run, or a split other than the one
// that would be written. Not so the rest of a run that was refused before its first report.
void refuse_what_is_there(const std::filesystem::path& folder, const std::string& split);

}  // namespace penumbra::app
