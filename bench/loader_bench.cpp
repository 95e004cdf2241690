// Does training wait for data? WRN-28-2 trains on batches of 64 labelled and 448 unlabelled images
// with one strong view each, while one background thread makes them.

#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>

#include <chrono>
#include <numeric>

#include "penumbra/augment/loader.h"
#include "penumbra/augment/statistics.h"
#include "penumbra/core/parallel.h"
#include "penumbra/data/dataset.h"
#include "penumbra/model/classifier.h"

namespace penumbra {
namespace {

Source make_source() {
  Options options{{"count", "4096"}, {"size", "32"}, {"classes", "10"}}, augment;
  Reading reading;
  Source source;
  source.images = make_dataset("blobs", options)->train(reading);
  source.labelled.resize(400);
  source.unlabelled.resize(4096);
  std::iota(source.labelled.begin(), source.labelled.end(), 0);
  std::iota(source.unlabelled.begin(), source.unlabelled.end(), 0);
  source.views = {/*weak=*/1, /*strong=*/1, /*ratio=*/7};
  source.policies = make_policies("randaugment", augment, /*mirrors=*/true);
  source.normalisation = normalisation_of(source.images, 1);
  return source;
}

//   waiting   share of the steps' time that was spent waiting for a batch; the target is 0.01
void wait_for_data(benchmark::State& state) {
  at::set_num_threads(processor_count());
  Options none;
  Classifier classifier(make_backbone("wrn_28_2", {}, none), 10, {}, make_generator(0));
  classifier.use_channels_last();
  Loader loader(make_source(), {});
  loader.next();  // the first must be waited for
  const double waited_before = loader.waited();
  double seconds = 0;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    const auto batch = loader.next();
    const auto trained = batch.all.slice(0, 0, 64 + 448);
    classifier.forward(trained).logits.logsumexp(1).mean().backward();
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  state.counters["waiting"] = (loader.waited() - waited_before) / seconds;
  state.counters["trained_images_per_s"] = 512 * static_cast<double>(state.iterations()) / seconds;
}
BENCHMARK(wait_for_data)->Iterations(4)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace penumbra
