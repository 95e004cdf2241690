// Reading CIFAR-10, all of it, to stand as NHWC uint8, against a plain sequential read of the
// same files into memory; in turns, so that whatever else the machine does falls on both.

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <vector>

#include "penumbra/core/parallel.h"
#include "penumbra/data/dataset.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void read_plainly(const std::vector<fs::path>& files) {
  for (const auto& path : files) {
    const auto size = fs::file_size(path);
    const std::unique_ptr<char[]> bytes(new char[size]);
    const int descriptor = open(path.c_str(), O_RDONLY);
    std::size_t done = 0;
    while (done < size) {
      const auto got = read(descriptor, bytes.get() + done, size - done);
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    close(descriptor);
    benchmark::DoNotOptimize(bytes[done / 2]);
  }
}

//   times_plain   time of ours, the plain read = 1; the target is 2
void read_cifar10(benchmark::State& state) {
  const auto path = find_dataset("cifar10", data_root(""));
  if (!fs::is_directory(path)) {
    state.SkipWithError("no CIFAR-10: penumbra data get cifar10");
    return;
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path))
    if (entry.path().extension() == ".bin") files.push_back(entry.path());
  Options options{{"path", path.string()}};
  const auto dataset = make_dataset("cifar10", options);
  Reading reading;
  reading.threads = processor_count();
  std::vector<double> ratios;
  double total = 0;
  for (auto _ : state) {
    const double plain = seconds_of([&] { read_plainly(files); });
    const double ours = seconds_of([&] {
      const auto train = dataset->train(reading), test = dataset->test(reading);
      benchmark::DoNotOptimize(train.pixels.data_ptr());
      benchmark::DoNotOptimize(test.pixels.data_ptr());
    });
    ratios.push_back(ours / plain);
    total += ours;
  }
  std::sort(ratios.begin(), ratios.end());
  state.counters["times_plain"] = ratios[ratios.size() / 2];
  state.counters["ms"] = 1000 * total / static_cast<double>(ratios.size());
}
BENCHMARK(read_cifar10)->Iterations(15)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace penumbra
