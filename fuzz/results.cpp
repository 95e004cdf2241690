// Lines of JSON: a sweep's results, and a run's metrics.jsonl as each of its readers takes it. One
// may refuse them and the others not.

#include "fuzz/input.h"
#include "penumbra/report/curves.h"
#include "penumbra/train/run_log.h"
#include "penumbra/train/sweep_results.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  using namespace penumbra;
  const auto run = fuzz::folder() / "run";
  std::filesystem::remove_all(run);  // every log leaves a file of events
  std::filesystem::create_directory(run);
  const auto path = fuzz::write("run/metrics.jsonl", bytes, size);
  fuzz::check([&] { write_results(fuzz::folder() / "results.jsonl", read_results(path)); });
  fuzz::check([&] { json_text(read_curves(path).series); });
  fuzz::check([&] {
    result_row({"run", {}}, {{"accuracy", {{"value", 0.5}}}, {"labels_used", 4}}, run);
  });
  return fuzz::check([&] { RunLog(run, /*step=*/10); });  // last: it writes the lines that it keeps
}
