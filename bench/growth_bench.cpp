// What a FixMatch step costs as the task grows: pictures in the pool, their size, classes, threads.
// Pictures are noise in a packed cache, as a folder's pictures are kept.
//   images_per_s  views that the network saw
//   memory_MB     of the process itself; pages of the cache that lie in memory are not counted

#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>

#include <chrono>
#include <fstream>
#include <numeric>

#include "penumbra/core/parallel.h"
#include "penumbra/core/temporary_folder.h"
#include "penumbra/data/packed.h"
#include "penumbra/train/run_state.h"

namespace penumbra {
namespace {

struct Task {
  int64_t pictures = 10000, size = 32, classes = 10;
  int threads = processor_count();
};

Images packed_noise(const Task& task, const std::filesystem::path& file) {
  constexpr int64_t kBlock = 1000;
  const PictureShape shape{task.size, task.size, 3};
  PackedWriter writer(file, shape);
  auto generator = make_generator(0);
  const auto noise =
      torch::randint(0, 256, {kBlock, task.size, task.size, 3}, generator, torch::kByte);
  FolderLayout layout;
  for (int64_t i = 0; i < task.pictures; ++i)
    layout.parts[kTrain].push_back({std::to_string(i) + ".png", i % task.classes, 0, 0});
  for (int64_t slot = 0; slot < task.pictures; slot += kBlock)
    writer.store(static_cast<std::size_t>(slot), noise.data_ptr<uint8_t>(),
                 static_cast<std::size_t>(std::min(kBlock, task.pictures - slot)));
  writer.commit(/*key=*/1, layout, {});
  return open_packed(file, 1)->parts[kTrain];
}

// Megabytes of anonymous memory.
double memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "RssAnon:") {
      double kilobytes = 0;
      status >> kilobytes;
      return kilobytes / 1024;
    }
  return 0;
}

void fixmatch_steps(benchmark::State& state, const Task& task) {
  at::set_num_threads(task.threads);
  const TemporaryFolder folder(std::filesystem::temp_directory_path(), "penumbra-growth");
  Options none, method_options{{"ratio", "1"}, {"labeller", "teacher"}};
  const auto method = make_method("fixmatch", method_options);
  Training training;
  training.method = method.get();
  auto& source = training.source;
  source.images = packed_noise(task, folder.path() / "pool");
  source.labelled.resize(static_cast<std::size_t>(std::max<int64_t>(1000, task.classes)));
  source.unlabelled.resize(static_cast<std::size_t>(task.pictures));
  std::iota(source.labelled.begin(), source.labelled.end(), 0);
  std::iota(source.unlabelled.begin(), source.unlabelled.end(), 0);
  source.views = method->views();
  source.policies = make_policies("randaugment", none, /*mirrors=*/true);
  source.normalisation = {{0.5F, 0.5F, 0.5F}, {0.25F, 0.25F, 0.25F}};
  const auto backbone =
      make_backbone(task.size > 96 ? "fast_16" : "fast_32", {3, task.size, task.size}, none);
  training.student = std::make_shared<Classifier>(backbone, task.classes, std::vector<HeadSpec>{},
                                                  make_generator(0));
  training.student->use_channels_last();

  RunState run(training);
  Loader loader(source, {});
  for (int i = 0; i < 3; ++i) run.step(loader.next());  // makes what the others find made
  run.take_views();
  const auto start = std::chrono::steady_clock::now();
  for (auto _ : state) run.step(loader.next());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  state.counters["images_per_s"] = static_cast<double>(run.take_views()) / seconds.count();
  state.counters["memory_MB"] = memory();
}

void sixty_steps(benchmark::internal::Benchmark* growth) {
  growth->Iterations(60)->Unit(benchmark::kMillisecond)->UseRealTime();
}

void growth_of_pool(benchmark::State& state) {
  Task task;
  task.pictures = state.range(0);
  fixmatch_steps(state, task);
}
BENCHMARK(growth_of_pool)->RangeMultiplier(10)->Range(10000, 1000000)->Apply(sixty_steps);

void growth_of_size(benchmark::State& state) {
  Task task;
  task.pictures = 2000;
  task.size = state.range(0);
  fixmatch_steps(state, task);
}
BENCHMARK(growth_of_size)->Arg(32)->Arg(64)->Arg(96)->Arg(128)->Arg(224)->Apply(sixty_steps);

void growth_of_classes(benchmark::State& state) {
  Task task;
  task.classes = state.range(0);
  fixmatch_steps(state, task);
}
BENCHMARK(growth_of_classes)->Arg(10)->Arg(100)->Arg(1000)->Apply(sixty_steps);

void growth_of_threads(benchmark::State& state) {
  Task task;
  task.threads = static_cast<int>(state.range(0));
  fixmatch_steps(state, task);
}
BENCHMARK(growth_of_threads)->DenseRange(1, processor_count())->Apply(sixty_steps);

}  // namespace
}  // namespace penumbra
