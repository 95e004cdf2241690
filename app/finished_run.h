#pragma once
#include <filesystem>
#include <string>

#include "penumbra/train/experiment.h"

namespace penumbra::app {

// The settings of a run folder, with the split that it wrote.
Config read_run_config(const std::filesystem::path& run);

// Prepares the process, reads the run's data with progress on stderr, and makes its parts.
Experiment reassemble(const Config& config, const std::string& root, int threads);

}  // namespace penumbra::app
