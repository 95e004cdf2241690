#pragma once
#include <torch/types.h>

#include <optional>
#include <string>
#include <vector>

#include "penumbra/core/options.h"
#include "penumbra/model/kernels.h"
#include "penumbra/model/precision.h"

namespace penumbra {

// The choices of a run that are not those of one part: section [run] of its configuration.
struct RunOptions {
  std::string data;  // a dataset's name or a path
  std::string method = "fixmatch", backbone, policy = "randaugment", preset = "quick";
  int64_t labels = 0, validation = -1;
  std::string unlabelled = "rest";  // or "all"
  std::string classes;              // known classes, separated by commas; empty: every one
  std::string pool;                 // further unlabelled pictures: a name or path
  std::string split;                // file of an earlier split
  std::string init;                 // weights to start from
  int64_t seed = 0;
  double minutes = 0;
  double cores = 0;              // that the machine is worth (machine_speed.h); 0: measured
  std::string mirror = "false";  // or "true", or "auto": where the network learns mirror images
  std::string precision = "auto", kernels = "auto", device = "cpu";
  int64_t threads = 0;  // 0: all processors
  bool report = true;

  explicit RunOptions(Options& options);
};

// What `auto` stands for on this machine.
Precision choose_precision(const RunOptions& run);
Kernels choose_kernels(const RunOptions& run);
// `learnt`: whether views are mirrored while the network learns.
bool choose_mirror(const RunOptions& run, bool learnt);

// How fast the machine is (machine_speed.h): what a step costs decides how large a network `quick`
// takes. Measured where the run does not say; nothing where nothing depends on it.
std::optional<double> choose_cores(const RunOptions& run, std::optional<double> minutes);

// Refuses one that is not there.
torch::Device choose_device(const RunOptions& run);

// What was asked for and this processor does not have.
std::vector<std::string> slow_choices(const RunOptions& run);

}  // namespace penumbra
