#include "app/finished_run.h"

#include <fmt/ranges.h>

#include "app/process_setup.h"
#include "app/progress.h"
#include "penumbra/core/error.h"
#include "penumbra/core/file.h"

namespace penumbra::app {

Config read_run_config(const std::filesystem::path& run) {
  Config config;
  config.read_file(run / "config.toml");
  config.set("run.split", (run / "split.csv").string(), "the run");
  // Benchmarks are looked for anew where they are no longer, on another machine perhaps.
  for (const char* section : {"data", "pool"}) {
    std::string path, place;
    config.section(section).read("path", path, "");
    config.section("run").read(section, place, "");
    std::error_code unseen;
    if (std::filesystem::is_directory(path, unseen)) continue;
    if (place.find('/') != std::string::npos && !std::filesystem::is_directory(place, unseen))
      fail("the pictures of ", run.string(), " were in ", place,
           ", which is no folder now: put them back, or write where they are as '", section,
           "' of [run] into ", (run / "config.toml").string());
    config.clear(std::string(section) + ".path");
  }
  return config;
}

Experiment reassemble(const Config& config, const std::string& root, int threads) {
  Reading reading;
  reading.threads = set_up_process(threads);
  reading.cache = data_root(root) / "packed";
  Progress progress("reading", "pictures");
  reading.progress = [&](int64_t done, int64_t total) { progress.update(done, total); };
  return assemble(config, data_root(root), reading);
}

void refuse_lack_of(const std::filesystem::path& file) {
  if (is_there(file)) return;
  const auto run = file.parent_path();
  if (!is_there(run / "last.safetensors"))
    fail(run.string(), " has no model yet: let its training end first");
  fail(file.string(), " is no longer there, though its training has ended: expected it back from ",
       "a copy, or ", (run / "last.safetensors").string(), ", the last model, in its place");
}

Model read_run_model(const std::filesystem::path& run, const std::string& name,
                     const Experiment& experiment) {
  const auto file = run / (name + ".safetensors");
  refuse_lack_of(file);
  auto model = read_model(file);
  const auto& known = model.info.classes;
  if (known != experiment.classes)
    fail(experiment.run.data, " has changed since the training: its classes are ",
         fmt::format("{}", fmt::join(experiment.classes, ", ")), ", the model knows ",
         fmt::format("{}", fmt::join(known, ", ")));
  const auto &model_input = model.info.input, &input = experiment.model.input;
  if (model_input.channels != input.channels || model_input.height != input.height ||
      model_input.width != input.width)
    fail(experiment.run.data, " has changed since the training: its pictures are ", input.height,
         " x ", input.width, " x ", input.channels, ", the model takes ", model_input.height, " x ",
         model_input.width, " x ", model_input.channels);
  return model;
}

void normalise_as(const Model& model, Experiment& experiment) {
  experiment.model.normalisation = model.info.normalisation;
  experiment.training.source.normalisation = model.info.normalisation;
}

}  // namespace penumbra::app
