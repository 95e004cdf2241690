// penumbra certify: gives the best model of a run, of any method, its uncertainties.

#include "app/certify.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "app/command.h"
#include "app/finished_run.h"
#include "penumbra/core/error.h"
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

int certify_command(const CertifyArguments& arguments) {
  auto config = read_run_config(arguments.run);
  // Options of the estimator that the run had are not those of another.
  if (!arguments.estimator.empty()) {
    config.clear_section("uncertainty");
    config.set("uncertainty.estimator", arguments.estimator, "--estimator");
  }
  for (const auto& setting : arguments.settings) {
    if (setting.rfind("uncertainty.", 0) != 0)
      fail("--set ", setting, ": the run is trained, expected a setting of uncertainty, such as ",
           "uncertainty.unfamiliar=0.99");
    config.set_argument(setting);
  }
  const FolderLock lock(arguments.run);
  const auto experiment = reassemble(config, arguments.root, arguments.threads);
  std::cout << certify(arguments.run, experiment) << '\n';
  return 0;
}

}  // namespace

std::string certify(const fs::path& folder, const Experiment& experiment) {
  const auto file = folder / "best.safetensors";
  if (!fs::exists(file)) fail(folder.string(), " has no model yet: let its training end first");
  auto model = read_model(file);
  const auto judge = fit_judge(*model.classifier, experiment);
  if (!judge)
    return "no uncertainties: there are no validation images to compare a picture with; give "
           "more labels or a validation folder";
  attach(*judge, model.info);
  write_model(file, *model.classifier, model.info);
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
      "certify", "Give the best model of a run its uncertainties; training does it at its end");
  auto arguments = std::make_shared<CertifyArguments>();
  command->add_option("RUN", arguments->run, "run folder, of any method")->required();
  command->add_option("--estimator", arguments->estimator,
                      "of epistemic uncertainty: penumbra list estimators [the run's]");
  command->add_option("--set", arguments->settings, "uncertainty.unfamiliar=0.99")
      ->allow_extra_args(false);
  command->add_option("--data-root", arguments->root, "where datasets are kept");
  command->add_option("--threads", arguments->threads, "[all processors]")
      ->check(CLI::PositiveNumber);
  command->footer(
      "What is familiar is learnt from training images, thresholds from validation images.\n"
      "Example:  penumbra certify runs/photos --estimator certificates");
  command->callback([=, &action] { action = [=] { return certify_command(*arguments); }; });
}

}  // namespace penumbra::app
