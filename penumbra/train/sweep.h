#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "penumbra/train/presets.h"

namespace penumbra {

// One combination of the grid.
struct SweepRun {
  std::string name;               // of its folder: "fixmatch-labels100-seed0"
  std::vector<Setting> settings;  // those of the grid ("arm" is one), of its arm, of every run
};

// A grid of runs, as a file describes it:
//   [sweep]
//   out = "runs/table"         # folder of the runs; left out: runs/<name of the file>
//   results = "table.jsonl"    # beside the file; left out: <name of the file>.jsonl
//   [grid]                     # every combination; the last setting changes fastest
//   "run.method" = ["supervised", "fixmatch"]
//   "run.seed" = [0, 1, 2]
//   [arms.without_l_ue]        # beside the grid: settings that go together, a row of a table
//   "method.l_ue" = 0
//   [set]                      # settings of every run
//   "run.data" = "fashion_mnist"
//   [published]                # accuracies in % that others report, by the row's values
//   "without_l_ue fixmatch" = 95.23
struct Sweep {
  std::filesystem::path out, results;
  std::vector<std::string> grid;  // names of the grid's settings, as the file orders them
  std::vector<SweepRun> runs;
  std::map<std::string, double> published;  // by row_of
};

// The values of the grid's settings without the seed, as in "without_l_ue fixmatch": what names a
// row of the table.
std::string row_of(const Sweep& sweep, const SweepRun& run);

Sweep read_sweep(const std::filesystem::path& file);

// The text of a setting; empty when the run leaves it open.
std::string value_of(const SweepRun& run, std::string_view setting);

}  // namespace penumbra
