// penumbra list: every part there is, and the options of one.

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "app/command.h"
#include "app/table.h"
#include "penumbra/augment/policy.h"
#include "penumbra/core/error.h"
#include "penumbra/data/dataset.h"
#include "penumbra/method/method.h"
#include "penumbra/model/backbone.h"
#include "penumbra/train/presets.h"
#include "penumbra/uncertainty/estimator.h"

namespace penumbra::app {
namespace {

// A kind of part: how to list them all, and how to make one so that it reads its options.
struct Kind {
  std::string one, many;
  std::vector<PartInfo> (*list)();
  void (*make)(const std::string& name, Options& options);
};

const Kind kKinds[] = {
    {"dataset", "datasets", list_datasets,
     [](const std::string& name, Options& options) { make_dataset(name, options); }},
    {"policy", "policies", list_policies,
     [](const std::string& name, Options& options) { make_policy(name, options); }},
    {"backbone", "backbones", list_backbones,
     [](const std::string& name, Options& options) { make_backbone(name, {}, options); }},
    {"estimator", "estimators", list_estimators,
     [](const std::string& name, Options& options) { make_estimator(name, options); }},
    {"method", "methods", list_methods,
     [](const std::string& name, Options& options) { make_method(name, options); }},
    {"preset", "presets", list_presets,
     [](const std::string& name, Options&) {
       preset_settings({name, "", "", "", "", {}, 0});
     }},
};

std::string list_kind(const Kind& kind) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& part : kind.list()) rows.push_back({part.name, part.summary});
  return format_table(rows);
}

// The paragraph of a part, or its line where it has none.
std::string about(const PartInfo& part) {
  return part.about.empty() ? fmt::format("{}: {}\n", part.name, part.summary) : part.about;
}

std::string list_options(const Kind& kind, const std::string& name) {
  Options options;
  kind.make(name, options);
  std::string text;
  for (const auto& part : kind.list())
    if (part.name == name) text += about(part) + "\n";
  if (options.described().empty()) return text + "It has no options.\n";
  std::vector<std::vector<std::string>> rows{{"option", "default", "allowed", "meaning"}};
  for (const auto& option : options.described())
    rows.push_back({option.key, option.value.empty() ? "-" : option.value,
                    option.allowed.empty() ? "any text" : option.allowed, option.meaning});
  return text + format_table(rows);
}

// All parts of a kind, a section each: docs/methods.md is made by this.
std::string markdown(const Kind& kind) {
  std::string text;
  for (const auto& part : kind.list()) {
    Options options;
    kind.make(part.name, options);
    text += fmt::format("## `{}`\n\n{}\n", part.name, about(part));
    if (options.described().empty()) continue;
    text += "| option | default | allowed | meaning |\n|---|---|---|---|\n";
    for (const auto& option : options.described())
      text += fmt::format("| `{}` | {} | {} | {} |\n", option.key,
                          option.value.empty() ? "-" : option.value,
                          option.allowed.empty() ? "any text" : option.allowed, option.meaning);
    text += '\n';
  }
  return text;
}

std::string list(const std::string& what, const std::string& name, const std::string& format) {
  std::string known;
  for (const auto& kind : kKinds) {
    if (what.empty())
      known += fmt::format("{}\n{}\n", kind.many, list_kind(kind));
    else if (what == kind.many && format == "markdown")
      return markdown(kind);
    else if (what == kind.many && name.empty())
      return list_kind(kind);
    else if (what == kind.one || what == kind.many)
      return name.empty() ? list_kind(kind) : list_options(kind, name);
    else
      known += fmt::format(" {}", kind.many);
  }
  if (what.empty()) return known;
  fail("nothing to list called '", what, "'; there are:", known);
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("list", "Every part there is, and the options of one");
  auto what = std::make_shared<std::string>(), name = std::make_shared<std::string>();
  command->add_option(
      "KIND", *what,
      "datasets, policies, backbones, estimators, methods, presets; without it, all");
  command->add_option("NAME", *name, "one part of that kind, to see its options");
  auto format = std::make_shared<std::string>("table");
  command->add_option("--format", *format, "table, or markdown with every part of a kind in full")
      ->check(CLI::IsMember({"table", "markdown"}))
      ->capture_default_str();
  command->footer("Example:  penumbra list dataset folder");
  command->callback([=, &action] {
    action = [=] {
      std::cout << list(*what, *name, *format);
      return 0;
    };
  });
}

}  // namespace penumbra::app
