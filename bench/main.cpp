// Benchmarks run in a process set up as the command's is: threads, allocator, matrix products.

#include <benchmark/benchmark.h>

#include "app/process_setup.h"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  penumbra::app::set_up_process(/*threads=*/0);
  benchmark::RunSpecifiedBenchmarks();
}
