// penumbra bench: images per second of this machine, and which fraction of what it could do.

#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/bench_result.h"
#include "app/command.h"
#include "app/process_setup.h"
#include "app/progress.h"
#include "penumbra/core/error.h"
#include "penumbra/core/sha256.h"
#include "penumbra/model/image_inference.h"
#include "penumbra/model/primitive_bound.h"
#include "penumbra/train/experiment.h"
#include "penumbra/train/machine_speed.h"
#include "penumbra/uncertainty/judge.h"

namespace penumbra::app {
namespace {

using Clock = std::chrono::steady_clock;

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

// Synthetic pictures, so that nothing need be there; their content does not change the time.
Experiment assemble_bench(const BenchArguments& arguments, const std::string& method,
                          const std::string& kernels) {
  Config config;
  const auto set = [&](const char* name, const std::string& value) {
    config.set(name, value, "bench");
  };
  set("run.data", "blobs");
  set("data.count", "4096");
  set("data.size", std::to_string(arguments.size));
  set("run.labels", "1024");
  set("run.validation", "64");
  set("run.preset", "paper");
  set("run.method", method);
  set("run.backbone", arguments.backbone);
  set("run.precision", arguments.precision);
  set("run.kernels", kernels);
  set("train.batch", std::to_string(arguments.batch));
  Reading reading;
  return assemble(config, {}, reading);
}

double seconds_of(double at_least, const std::function<void()>& work) {
  work();
  const auto start = Clock::now();
  double spent = 0;
  int times = 0;
  while (times < 2 || spent < at_least) {
    work();
    ++times;
    spent = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return spent / times;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Both layouts of the bare primitives; the faster one is the bound.
class Bound {
 public:
  Bound(const BenchArguments& arguments, Precision precision) {
    std::size_t depth = 0, width = 0;
    int read = 0;
    const auto& name = arguments.backbone;
    if (std::sscanf(name.c_str(), "wrn_%zu_%zu%n", &depth, &width, &read) != 2 ||
        static_cast<std::size_t>(read) != name.size())
      return;
    try {
      for (const auto layout :
           {PrimitiveNetwork::Layout::kBlocked, PrimitiveNetwork::Layout::kChannelsLast})
        networks_.push_back(std::make_unique<PrimitiveNetwork>(
            static_cast<int64_t>(depth), static_cast<int64_t>(width), arguments.size,
            arguments.batch, precision, layout));
    } catch (const Error&) {
      // oneDNN computes in bf16 only where it has instructions for it.
      if (precision != Precision::kBf16) throw;
      networks_.clear();
    }
    seconds_.resize(networks_.size());
  }

  void measure(double seconds) {
    for (std::size_t i = 0; i < networks_.size(); ++i)
      seconds_[i].push_back(seconds_of(seconds, [&] { networks_[i]->train(); }));
  }

  std::optional<double> seconds() const {
    std::optional<double> best;
    for (const auto& times : seconds_)
      if (!best || median(times) < *best) best = median(times);
    return best;
  }

 private:
  std::vector<std::unique_ptr<PrimitiveNetwork>> networks_;
  std::vector<std::vector<double>> seconds_;  // of each network, one for each round
};

// The weights after a fixed tiny training: the same digits mean the same arithmetic.
std::string signature() {
  Config config;
  for (const char* setting :
       {"run.data=blobs", "data.count=64", "data.size=8", "run.backbone=tiny", "run.labels=16",
        "run.method=fixmatch", "run.precision=fp32", "train.steps=20", "train.batch=8"})
    config.set_argument(setting);
  Reading reading;
  const auto threads = at::get_num_threads();
  at::set_num_threads(1);
  const auto result = train(assemble(config, {}, reading).training, {});
  at::set_num_threads(threads);
  Sha256 sum;
  for (const auto& [name, tensor] : result.teacher->state()) {
    const auto values = tensor.contiguous();
    sum.update(values.data_ptr(), values.nbytes());
  }
  return sum.finish().substr(0, 16);
}

// What judges a model's output, as training leaves it: ten thousand familiar images.
Judge make_judge(int64_t features, int64_t classes) {
  auto generator = make_generator(0);
  const auto said = [&](int64_t n) {
    return Output{
        torch::randn({n, classes}, generator), torch::randn({n, features}, generator), {}};
  };
  const auto labels = [&](int64_t n) { return torch::arange(n, torch::kLong).remainder(classes); };
  return {JudgeOptions(), said(10000), labels(10000), said(1000), labels(1000)};
}

// In turns, so that a machine that slows down meanwhile slows all of them.
BenchResult bench(const BenchArguments& arguments) {
  BenchResult result;
  result.threads = set_up_process(arguments.threads);
  const auto supervised = assemble_bench(arguments, "supervised", arguments.kernels);
  const auto& training = supervised.training;
  std::optional<Experiment> other, plain;
  if (!arguments.method.empty())
    other.emplace(assemble_bench(arguments, arguments.method, arguments.kernels));
  if (training.kernels == Kernels::kOwn)
    plain.emplace(assemble_bench(arguments, "supervised", "libtorch"));
  const auto& images = training.source.images;
  const auto model = training.student->copy();
  // What `predict` computes in unless told otherwise.
  const bool usual = arguments.precision == BenchArguments().precision;
  result.predict_precision = usual ? Precision::kFp32 : training.precision;
  model->set_precision(result.predict_precision);
  model->set_kernels(training.kernels);
  const auto positions = std::vector<int64_t>(8 * static_cast<std::size_t>(arguments.batch), 0);

  Bound bound(arguments, training.precision);
  result.cores = machine_cores(training.precision, training.kernels);
  const auto judge = make_judge(model->backbone().feature_size(), model->classes());
  std::vector<double> step, libtorch, predict, judged, method_step;
  Progress progress("measuring", "rounds");
  for (int round = 0; round < arguments.rounds; ++round) {
    step.push_back(measure_step(training, arguments.seconds, 1));
    if (plain) libtorch.push_back(measure_step(plain->training, arguments.seconds, 1));
    bound.measure(arguments.seconds);
    const auto run = [&] {
      return infer(*model, images, positions, training.source.normalisation, arguments.batch);
    };
    predict.push_back(seconds_of(arguments.seconds, run));
    judged.push_back(seconds_of(arguments.seconds, [&] { judge.judge(run()); }));
    if (other) method_step.push_back(measure_step(other->training, arguments.seconds, 1));
    progress.update(round + 1, arguments.rounds);
  }
  const auto batch = static_cast<double>(arguments.batch);
  result.processor = processor_name();
  result.precision = training.precision;
  result.kernels = training.kernels;
  result.train = batch / median(step);
  result.predict = static_cast<double>(positions.size()) / median(predict);
  result.judge = static_cast<double>(positions.size()) / median(judged);
  if (const auto seconds = bound.seconds()) result.bound = batch / *seconds;
  if (plain) result.libtorch = batch / median(libtorch);
  if (other) result.method_step = median(method_step);
  result.signature = signature();
  return result;
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "bench", "Images per second of this machine, and which fraction of what it could do");
  auto arguments = std::make_shared<BenchArguments>();
  command->add_option("--backbone", arguments->backbone, "network")->capture_default_str();
  command->add_option("--method", arguments->method, "time a step of this method, too");
  command->add_option("--batch", arguments->batch, "labelled images per step")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  command->add_option("--size", arguments->size, "height and width of the pictures")
      ->check(CLI::Range(8, 512))
      ->capture_default_str();
  command->add_option("--precision", arguments->precision,
                      "bf16 or fp32 [for steps the faster one here, for predictions fp32]");
  command->add_option("--kernels", arguments->kernels, "own or libtorch [the faster one here]");
  command->add_option("--threads", arguments->threads, "[all processors]")
      ->check(CLI::Range(1, 4096));
  command->add_option("--rounds", arguments->rounds, "the median of so many counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--seconds", arguments->seconds, "of each measurement in a round")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  command->add_option("--format", arguments->format, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  command->footer("Example:  penumbra bench --method fixmatch --threads 2");
  command->callback([=, &action] {
    action = [=] {
      const auto result = bench(*arguments);
      std::cout << (arguments->format == "json" ? json_text(to_json(*arguments, result), 2) + '\n'
                                                : to_text(*arguments, result));
      return 0;
    };
  });
}

}  // namespace penumbra::app
