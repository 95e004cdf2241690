#include "penumbra/train/watch.h"

#include <fmt/format.h>

namespace penumbra {

std::optional<std::string> Watch::see(const TrainReport& report) {
  const auto number = [&](const char* name) -> std::optional<double> {
    const auto found = report.numbers.find(name);
    return found == report.numbers.end() ? std::nullopt : std::optional(found->second);
  };
  const auto is_new = [&](const char* topic) { return said_.insert(topic).second; };
  const bool late = report.step >= 500 || (report.step >= 100 && report.step * 2 >= report.steps);
  const auto mask = number("mask"), right = number("pseudo_label_accuracy");
  if (late && mask && *mask < 0.001 && is_new("mask"))
    return fmt::format(
        "the mask keeps 0 % of the unlabelled images after {} steps: they teach nothing yet; more "
        "steps or labels, or a lower method.threshold would help",
        report.step);
  const auto length = number("certificates/length");
  if (length && *length < 0.5 && is_new("certificates"))
    return "the certificates are vanishing: their mean squared length is below a half, so "
           "epistemic "
           "scores mean little; a larger method.lambda or method.ortho_norm=fro2 would help";
  if (late && mask && right && *mask > 0.5 && *right < 0.6 && is_new("wrong"))
    return fmt::format(
        "{:.0f} % of the unlabelled images are used but only {:.0f} % of their pseudo-labels are "
        "right: a higher method.threshold or more labels would help",
        100 * *mask, 100 * *right);
  return {};
}

}  // namespace penumbra
