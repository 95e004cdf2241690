#pragma once
#include <filesystem>
#include <string>

#include "penumbra/model/model_file.h"
#include "penumbra/train/experiment.h"

namespace penumbra::app {

// The settings of a run folder, with the split that it wrote.
Config read_run_config(const std::filesystem::path& run);

// Prepares the process, reads the run's data with progress on stderr, and makes its parts.
Experiment reassemble(const Config& config, const std::string& root, int threads);

// Error where a run's model is not there: not yet, or no longer.
void refuse_lack_of(const std::filesystem::path& file);

// The model `best` or `last` of that run. Throws Error where there is none yet, or where the data
// has changed so that it is no longer the model's: other classes, or pictures of another shape.
Model read_run_model(const std::filesystem::path& run, const std::string& name,
                     const Experiment& experiment);

// Pictures are then normalised as they were for the model: some may have been added since.
void normalise_as(const Model& model, Experiment& experiment);

}  // namespace penumbra::app
