#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "penumbra/core/config.h"
#include "penumbra/data/dataset.h"
#include "penumbra/data/split.h"
#include "penumbra/model/model_file.h"
#include "penumbra/train/trainer.h"
#include "penumbra/uncertainty/judge.h"

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
  std::string mirror = "false";  // or "true", or "auto": where the network learns mirror images
  std::string precision = "auto", kernels = "auto", device = "cpu";
  int64_t threads = 0;  // 0: all processors
  bool report = true;

  explicit RunOptions(Options& options);
};

// A run put together from its configuration: data, parts, and every effective value.
struct Experiment {
  RunOptions run;
  bool own_pictures = false;
  std::vector<std::string> classes;
  Images validation, test;  // where the data brings them; else positions in split
  Split split;
  std::unique_ptr<Method> method;
  Training training;  // its images are the training set
  ModelInfo model;
  JudgeOptions judge;
  std::string fingerprint;         // of configuration and data
  std::vector<std::string> notes;  // choices that a person should hear of
  // Sections in the order in which they are written.
  std::vector<std::pair<std::string, std::vector<OptionInfo>>> effective;

  explicit Experiment(RunOptions options) : run(std::move(options)) {}
};

// Reads the data and makes every part. The preset fills what `config` leaves open. A preset's
// budget of minutes is only noted in run.minutes: the caller turns it into steps.
Experiment assemble(Config config, const std::filesystem::path& data_root, Reading& reading);

// Gives a run with a budget of minutes another number of steps, before it trains or between two
// checkpoints.
void set_steps(Experiment& experiment, int64_t steps);

}  // namespace penumbra
