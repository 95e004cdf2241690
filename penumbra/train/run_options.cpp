#include "penumbra/train/run_options.h"

#include <algorithm>
#include <cmath>

#include "penumbra/core/error.h"
#include "penumbra/train/machine_speed.h"

namespace penumbra {

RunOptions::RunOptions(Options& options) {
  options.read("data", data, "a dataset's name or a folder");
  options.read("method", method, "learning rule: penumbra list methods");
  options.read("backbone", backbone, "network: penumbra list backbones");
  options.read("policy", policy, "strong augmentation: penumbra list policies");
  options.read("preset", preset, "settings for what is left open: penumbra list presets");
  options.read("labels", labels, {0, 1e9}, "images whose label is used; 0: every one");
  options.read("validation", validation, {-1, 1e9}, "images to choose the model with; -1: a share");
  options.read_choice("unlabelled", unlabelled, {"rest", "all"},
                      "rest: without the labelled images; all: with them");
  options.read("classes", classes, "known classes, separated by commas; the others are unlabelled");
  options.read("pool", pool, "further unlabelled pictures: a dataset's name or a folder");
  options.read("split", split, "file of an earlier split");
  options.read("init", init, "safetensors file of weights to start from");
  options.read("seed", seed, {0, 1e15}, "of the split, the weights, the order and the views");
  options.read("minutes", minutes, {0, 1e6}, "budget that the steps were computed from; 0: none");
  options.read("cores", cores, {0, 1e6},
               "how many of those that quick was made on the machine is worth; 0: measured for it");
  options.read_choice("mirror", mirror, {"auto", "true", "false"},
                      "answer for a picture and its mirror image together, in twice the time; "
                      "auto: where mirror images are learnt");
  options.read_choice("precision", precision, {"auto", "bf16", "fp32"},
                      "auto: bf16 where the processor computes in it");
  options.read_choice("kernels", kernels, {"auto", "own", "libtorch"},
                      "whose convolutions and batch norms; auto: the faster, by processor");
  options.read("device", device, "what computes, in libtorch's words: cpu, cuda, cuda:1");
  options.read("threads", threads, {0, 4096}, "0: all processors");
  options.read("report", report, "write report.html at the end");
}

Precision choose_precision(const RunOptions& run) {
  if (run.precision != "auto") return parse_precision(run.precision);
  return run.device == "cpu" ? fastest_precision() : Precision::kFp32;
}

Kernels choose_kernels(const RunOptions& run) {
  return run.kernels == "auto" ? fastest_kernels() : parse_kernels(run.kernels);
}

bool choose_mirror(const RunOptions& run, bool learnt) {
  // A network that never saw mirror images has nothing to say of them.
  if (run.mirror == "true" && !learnt)
    fail("run.mirror = true asks for mirror images, which this network does not learn: expected ",
         "--set augment.mirror=true with it, or run.mirror=auto");
  return run.mirror != "false" && learnt;
}

std::optional<double> choose_cores(const RunOptions& run, std::optional<double> minutes) {
  if (run.preset != "quick" || minutes == 0.0) return std::nullopt;
  if (run.cores > 0) return run.cores;
  if (run.device != "cpu") return std::nullopt;
  const double measured = machine_cores(choose_precision(run), choose_kernels(run));
  return std::max(1.0, std::round(100 * measured)) / 100;  // to be written down as it is used
}

torch::Device choose_device(const RunOptions& run) {
  try {
    const torch::Device device(run.device);
    // There is one if it computes.
    torch::ones({1}, device).add_(1).item<float>();
    return device;
  } catch (const c10::Error& error) {
    const std::string reason = error.what_without_backtrace();
    const auto end = std::min(reason.find('\n'), reason.find(". "));  // the rest lists backends
    fail("device '", run.device, "' is not to be had with this libtorch on this machine (",
         reason.substr(0, end), "); --device cpu always works");
  }
}

std::vector<std::string> slow_choices(const RunOptions& run) {
  std::vector<std::string> notes;
  if (run.device != "cpu") return notes;
  if (run.precision == "bf16" && fastest_precision() != Precision::kBf16)
    notes.emplace_back("this processor has no instructions for bf16: it is slower than fp32 here");
  if (run.kernels == "own" && !has_own_convolutions())
    notes.emplace_back(
        "this processor has no AVX2: convolutions are libtorch's, batch norms our own");
  return notes;
}

}  // namespace penumbra
