#pragma once
#include <filesystem>
#include <string>

#include "penumbra/train/experiment.h"

namespace penumbra::app {

// Writes report.html into the folder of a run that has just ended. Returns what there is to say.
std::string write_report(const std::filesystem::path& folder, const Experiment& experiment);

// Pictures on its map, and about as many strangers.
inline constexpr int64_t kPicturesOfReport = 1000;

}  // namespace penumbra::app
