#pragma once
#include <filesystem>
#include <string>

#include "penumbra/train/experiment.h"

namespace penumbra::app {

// Fits uncertainties to the models of a finished run and writes them into their files. Returns
// what a person should hear: what was fitted, or why nothing could be.
std::string certify(const std::filesystem::path& folder, Experiment& experiment);

}  // namespace penumbra::app
