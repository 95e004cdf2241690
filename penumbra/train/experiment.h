#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "penumbra/core/config.h"
#include "penumbra/data/dataset.h"
#include "penumbra/data/split.h"
#include "penumbra/model/model_file.h"
#include "penumbra/train/run_options.h"
#include "penumbra/train/trainer.h"
#include "penumbra/uncertainty/judge.h"

namespace penumbra {

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

// What is written down as the value of a setting, "run.split".
void set_effective(Experiment& experiment, const std::string& name, const std::string& value);

// Gives a run with a budget of minutes another number of steps, before it trains or between two
// checkpoints.
void set_steps(Experiment& experiment, int64_t steps);

}  // namespace penumbra
