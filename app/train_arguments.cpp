#include "app/train_arguments.h"

#include <filesystem>
#include <optional>

#include "app/finished_run.h"
#include "penumbra/core/error.h"

namespace penumbra::app {
namespace {

constexpr const char* kWhatASplitSays[] = {"run.labels", "run.unlabelled", "run.validation"};

// What a flag or --set gives for this setting.
std::optional<std::string> given(const TrainArguments& arguments, const std::string& name) {
  for (const auto& setting : arguments.settings)
    if (setting.rfind(name + '=', 0) == 0) return setting.substr(name.size() + 1);
  const auto flag = arguments.flags.find(name);
  return flag == arguments.flags.end() ? std::nullopt : std::optional(flag->second);
}

bool gives(const TrainArguments& arguments, const std::string& name) {
  return given(arguments, name).has_value();
}

// Two wishes of which one would be ignored.
void reject_contradictions(const TrainArguments& arguments) {
  if (gives(arguments, "train.steps") && given(arguments, "run.minutes").value_or("0") != "0")
    fail("--steps and --minutes are both a budget: expected one of them");
  for (const char* name : kWhatASplitSays)
    if (gives(arguments, "run.split") && gives(arguments, name))
      fail("--split says which images have labels: expected no ", name, " beside it");
}

}  // namespace

void TrainArguments::add_to(CLI::App& command) {
  command.add_option("DATA", data, "a dataset's name or a folder of pictures");
  const auto flag = [&](const char* name, const char* setting, const char* meaning) {
    command.add_option_function<std::string>(
        name, [this, setting](const std::string& value) { flags[setting] = value; }, meaning);
  };
  flag("--labels", "run.labels", "labels to use, equal over classes [every one]");
  flag("--labels-file", "data.labels_file", "labels of a folder's pictures: file,label");
  flag("--split", "run.split", "split.csv of an earlier run");
  flag("--unlabelled", "run.unlabelled", "rest: without the labelled images; all: with them");
  flag("--pool", "run.pool", "further unlabelled pictures: a dataset's name or a folder");
  flag("--classes", "run.classes", "known classes a,b,c; the others stay in the pool, unlabelled");
  flag("--size", "data.size", "resize a folder's pictures to S x S");
  flag("--method", "run.method", "learning rule [fixmatch]: penumbra list methods");
  flag("--backbone", "run.backbone", "network: penumbra list backbones");
  flag("--policy", "run.policy", "strong augmentation [randaugment]: penumbra list policies");
  flag("--preset", "run.preset", "settings for what is left open [quick]: penumbra list presets");
  flag("--steps", "train.steps", "budget in steps");
  flag("--minutes", "run.minutes", "budget in minutes of wall time");
  flag("--seed", "run.seed", "of everything random [0]");
  flag("--threads", "run.threads", "[all processors]");
  flag("--precision", "run.precision", "bf16 or fp32 [the faster one here]");
  flag("--kernels", "run.kernels", "whose convolutions: own or libtorch [the faster one here]");
  flag("--device", "run.device", "what computes, in libtorch's words: cuda, cuda:1 [cpu]");
  flag("--init", "run.init", "safetensors file to start from");
  command.add_option("--data-root", root, "where datasets are kept");
  command.add_option("--out", out, "run folder [runs/<data>-<method>-<time>]");
  command.add_option("--config", files, "TOML file of settings")->allow_extra_args(false);
  command.add_option("--set", settings, "any setting: method.threshold=0.9")
      ->allow_extra_args(false);
  command.add_option("--resume", resume, "go on with this run folder");
  command.add_flag("--strict", strict, "an unreadable picture is an error");
}

Config TrainArguments::config() const {
  Config made;
  if (!resume.empty()) {
    if (!data.empty() || !flags.empty() || !settings.empty() || !files.empty() || !out.empty())
      fail("--resume goes on with the configuration of ", resume,
           " in its folder: expected no data and no other settings beside it");
    return read_run_config(resume);
  }
  reject_contradictions(*this);
  for (const auto& file : files) {
    made.read_file(file);
    Config alone;
    alone.read_file(file);
    // Steps of a later file count more than minutes of an earlier one.
    if (alone.has("train.steps") && !alone.has("run.minutes"))
      made.set("run.minutes", "0", file + ": train.steps");
  }
  for (const auto& [name, value] : flags) made.set(name, value, "the command line");
  if (!data.empty()) made.set("run.data", data, "the command line");
  // The configuration of another run says where its data was.
  if (!data.empty() && !gives(*this, "data.path")) made.clear("data.path");
  if (gives(*this, "run.pool") && !gives(*this, "pool.path")) made.clear("pool.path");
  for (const auto& setting : settings) made.set_argument(setting);
  // Whoever gives steps does not want a file's minutes, nor the preset's.
  if (gives(*this, "train.steps")) made.set("run.minutes", "0", "train.steps");
  // A file's split is no match for the labels that are asked for here.
  for (const char* name : kWhatASplitSays)
    if (gives(*this, name) && !gives(*this, "run.split")) made.clear("run.split");
  return made;
}

}  // namespace penumbra::app
