// A sweep's file. Every run must have a row of the table.

#include "penumbra/train/sweep.h"
#include "fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  using namespace penumbra;
  const auto path = fuzz::write("sweep.toml", bytes, size);
  return fuzz::check([&] {
    const auto sweep = read_sweep(path);
    if (sweep.runs.empty() || sweep.grid.empty()) __builtin_trap();
    for (const auto& run : sweep.runs) row_of(sweep, run);
  });
}
