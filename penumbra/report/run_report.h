#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "penumbra/core/json.h"
#include "penumbra/evaluate/strangers.h"
#include "penumbra/model/model_file.h"
#include "penumbra/train/experiment.h"

namespace penumbra {

struct ReportOptions {
  int64_t points = 2000;  // of the map, labelled and unlabelled together
  // Hears how far the map is.
  std::function<void(int64_t done, int64_t all)> progress;
};

// Everything that the page shows of one finished run, in the words of web/src/report.ts: what was
// trained, curves, familiarity, the map, calibration, mistakes. Parts that the run does not have
// (no test set, no uncertainties) are left out.
Json report_of(const std::filesystem::path& folder, const Experiment& experiment,
               const Model& model, const std::vector<Strangers>& strangers,
               const ReportOptions& options);

}  // namespace penumbra
