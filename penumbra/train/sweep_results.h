#pragma once
#include <filesystem>
#include <vector>

#include "penumbra/core/json.h"
#include "penumbra/train/sweep.h"

namespace penumbra {

// The results of a sweep: a file with one JSON object per finished run. Settings are the keys with
// a dot, as text; the other keys are the run's name and its numbers.
std::vector<Json> read_results(const std::filesystem::path& file);  // none when there is no file
void write_results(const std::filesystem::path& file, const std::vector<Json>& rows);

// The row of a finished run: accuracy and labels_used from `evaluation` (what 'penumbra evaluate
// --format json' says), the rest from the run's metrics.jsonl. Accuracies are 0 to 1.
Json result_row(const SweepRun& run, const Json& evaluation,
                const std::filesystem::path& run_folder);

// The row of this run; null when it is not finished. Error when the row was made with other
// settings than the sweep has now.
const Json* find_result(const std::vector<Json>& rows, const SweepRun& run);

}  // namespace penumbra
