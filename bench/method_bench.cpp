// Parts of methods that grow faster than the batch: SimPLE's pairs, the graph of label propagation.

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "penumbra/loss/pair.h"
#include "penumbra/method/propagation.h"
#include "penumbra/model/weights.h"

namespace penumbra {
namespace {

// Forward and backward of all pairs of N images of ten classes.
void pair_loss(benchmark::State& state) {
  auto generator = make_generator(0);
  const auto n = state.range(0);
  const auto logits = (3 * torch::randn({n, 10}, generator)).requires_grad_();
  const auto targets = (9 * torch::randn({n, 10}, generator)).softmax(1);
  for (auto _ : state) loss::pair_loss(logits, targets, 0.95, 0.9).backward();
}
BENCHMARK(pair_loss)->Arg(448)->Arg(3136)->Unit(benchmark::kMillisecond)->UseRealTime();

// N images of so many classes with features of 128 numbers, 4000 of them labelled, or 10,000.
//   memory_MB   the most that the process has had
void propagate_labels(benchmark::State& state) {
  auto generator = make_generator(0);
  const auto n = state.range(0), count = state.range(1);
  const int64_t labelled = count > 10 ? 10000 : 4000;
  const auto classes = torch::arange(n, torch::kLong).remainder(count);
  const auto centres = torch::randn({count, 128}, generator);
  const auto features = centres.index_select(0, classes) + torch::randn({n, 128}, generator);
  for (auto _ : state)
    benchmark::DoNotOptimize(propagate(features, classes.slice(0, 0, labelled), count, {}));
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  state.counters["memory_MB"] = static_cast<double>(used.ru_maxrss) / 1024;
}
BENCHMARK(propagate_labels)
    ->Args({12500, 10})
    ->Args({25000, 10})
    ->Args({50000, 10})
    ->Args({50000, 100})
    ->Iterations(1)
    ->Unit(benchmark::kSecond)
    ->UseRealTime();

}  // namespace
}  // namespace penumbra
