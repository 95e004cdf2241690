// One picture at a time: what a second thread is worth, in turns of a few milliseconds.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "penumbra/model/infer.h"
#include "penumbra/model/weights.h"

// OpenMP's; Debian's Clang comes without <omp.h>.
extern "C" void omp_set_num_threads(int threads);

namespace penumbra {
namespace {

std::shared_ptr<Classifier> make_classifier(const char* name) {
  Options options;
  auto made =
      std::make_shared<Classifier>(make_backbone(name, {3, 32, 32}, options),
                                   /*classes=*/10, std::vector<HeadSpec>{}, make_generator(0));
  made->use_channels_last();
  made->set_kernels(Kernels::kOwn);
  made->eval();
  return made;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

//   one_us, two_us   a picture on one thread and on two
//   gain             how many times as fast two are
void predict_one(benchmark::State& state, const char* backbone) {
  using Clock = std::chrono::steady_clock;
  const auto classifier = make_classifier(backbone);
  const auto image = torch::randn({1, 3, 32, 32}, make_generator(1));
  std::array<std::vector<double>, 2> times;
  std::vector<double> gains;
  for (auto _ : state) {
    for (const int threads : {1, 2}) {
      // Not by at::set_num_threads, which starts threads of another pool besides.
      omp_set_num_threads(threads);
      infer(*classifier, image);
      const auto start = Clock::now();
      for (int i = 0; i < 8; ++i) infer(*classifier, image);
      const std::chrono::duration<double, std::micro> spent = Clock::now() - start;
      times[static_cast<std::size_t>(threads - 1)].push_back(spent.count() / 8);
    }
    gains.push_back(times[0].back() / times[1].back());
  }
  state.counters["one_us"] = median(times[0]);
  state.counters["two_us"] = median(times[1]);
  state.counters["gain"] = median(gains);
}
BENCHMARK_CAPTURE(predict_one, fast_32, "fast_32")->Iterations(300)->UseRealTime();
BENCHMARK_CAPTURE(predict_one, fast_48, "fast_48")->Iterations(300)->UseRealTime();
BENCHMARK_CAPTURE(predict_one, fast, "fast")->Iterations(300)->UseRealTime();
BENCHMARK_CAPTURE(predict_one, wrn_28_2, "wrn_28_2")->Iterations(100)->UseRealTime();

}  // namespace
}  // namespace penumbra
