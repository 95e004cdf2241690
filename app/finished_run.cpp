#include "app/finished_run.h"

#include "app/process_setup.h"
#include "app/progress.h"

namespace penumbra::app {

Config read_run_config(const std::filesystem::path& run) {
  Config config;
  config.read_file(run / "config.toml");
  config.set("run.split", (run / "split.csv").string(), "the run");
  // Benchmarks are looked for anew where they are no longer, on another machine perhaps.
  for (const char* section : {"data", "pool"}) {
    std::string path;
    config.section(section).read("path", path, "");
    std::error_code unseen;
    if (!std::filesystem::is_directory(path, unseen)) config.clear(std::string(section) + ".path");
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

}  // namespace penumbra::app
