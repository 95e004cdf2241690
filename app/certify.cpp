// penumbra certify: gives the models of a run, of any method, their uncertainties.

#include "app/certify.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "app/command.h"
#include "app/finished_run.h"
#include "app/tell.h"
#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "penumbra/core/folder_lock.h"
#include "penumbra/evaluate/certify.h"

namespace fs = std::filesystem;

namespace penumbra::app {
namespace {

struct CertifyArguments {
  fs::path run;
  std::string root, estimator;
  std::vector<std::string> settings;
  int threads = 0;
};

// What is asked for now; for the rest the settings of the uncertainties that the model has, or else
// those of its run. Options of one estimator are not those of another.
void change_settings(Config& config, const fs::path& file, const CertifyArguments& arguments) {
  auto section = config.section("uncertainty");
  JudgeOptions now(section);
  const auto model = read_model(file);
  try {
    if (const auto judge = judge_of(model.info)) now = judge->options();
  } catch (const Error& error) {
    tell(
        fmt::format("penumbra: {}; they are fitted as the run's configuration says", error.what()));
  }
  config.clear_section("uncertainty");
  if (!arguments.estimator.empty())
    config.set("uncertainty.estimator", arguments.estimator, "--estimator");
  for (const auto& setting : arguments.settings) {
    if (setting.rfind("uncertainty.", 0) != 0)
      fail("--set ", setting, ": the run is trained, expected a setting of uncertainty, such as ",
           "uncertainty.unfamiliar=0.99");
    config.set_argument(setting);
  }
  // By default, since what is asked for may leave no use for some.
  const auto keep = [&](const std::string& key, const std::string& value) {
    config.set_default("uncertainty." + key, value, file.string());
  };
  keep("estimator", now.estimator);
  keep("variance_head", now.variance);
  keep("ambiguous", fmt::format("{}", now.ambiguous));
  keep("unfamiliar", fmt::format("{}", now.unfamiliar));
  keep("sure", fmt::format("{}", now.sure));
  std::string chosen;
  config.section("uncertainty").read("estimator", chosen, "");
  if (chosen == now.estimator)
    for (const auto& option : now.of_estimator) keep(option.key, option.value);
}

// Writes the model with uncertainties; returns them, or nothing where none can be had.
std::unique_ptr<Judge> certify_model(const fs::path& folder, const std::string& name,
                                     Experiment& experiment) {
  auto model = read_run_model(folder, name, experiment);
  normalise_as(model, experiment);
  auto judge = fit_judge(*model.classifier, experiment);
  if (!judge) return nullptr;
  attach(*judge, model.info);
  write_model(folder / (name + ".safetensors"), *model.classifier, model.info);
  return judge;
}

int certify_command(const CertifyArguments& arguments) {
  const auto best = arguments.run / "best.safetensors";
  auto config = read_run_config(arguments.run);
  const FolderLock lock(arguments.run);
  refuse_links(arguments.run);
  remove_unfinished(arguments.run);
  refuse_lack_of(best);
  change_settings(config, best, arguments);
  auto experiment = reassemble(config, arguments.root, arguments.threads);
  std::cout << certify(arguments.run, experiment) << '\n';
  return 0;
}

}  // namespace

std::string certify(const fs::path& folder, Experiment& experiment) {
  if (is_there(folder / "last.safetensors")) certify_model(folder, "last", experiment);
  const auto judge = certify_model(folder, "best", experiment);
  if (!judge)
    return "no uncertainties: there are no validation images to compare a picture with; give "
           "more labels or a validation folder";
  const auto& options = judge->options();
  return fmt::format(
      "uncertainties: epistemic by {}, aleatoric by {}, temperature {:.2f}; 'unfamiliar' above "
      "{:g} % and 'ambiguous' above {:g} % of the validation images, or below a probability of "
      "{:g}",
      options.estimator,
      judge->has_variance() ? "the variance head" : "entropy (the model has no variance head)",
      judge->temperature(), 100 * options.unfamiliar, 100 * options.ambiguous, options.sure);
}

void add_certify(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "certify", "Give the models of a run their uncertainties; training does it at its end");
  auto arguments = std::make_shared<CertifyArguments>();
  command->add_option("RUN", arguments->run, "run folder, of any method")->required();
  command->add_option("--estimator", arguments->estimator,
                      "of epistemic uncertainty: penumbra list estimators [the run's]");
  command->add_option("--set", arguments->settings, "uncertainty.unfamiliar=0.99")
      ->allow_extra_args(false);
  command->add_option("--data-root", arguments->root, "where datasets are kept");
  command->add_option("--threads", arguments->threads, "[all processors]")
      ->check(CLI::Range(1, 4096));
  command->footer(
      "What is familiar is learnt from training images, thresholds from validation images.\n"
      "Example:  penumbra certify runs/photos --estimator certificates");
  command->callback([=, &action] { action = [=] { return certify_command(*arguments); }; });
}

}  // namespace penumbra::app
