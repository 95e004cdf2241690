// penumbra list: every part there is, and the options of one.

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>

#include "app/command.h"
#include "app/table.h"
#include "penumbra/augment/policy.h"
#include "penumbra/core/error.h"
#include "penumbra/data/dataset.h"
#include "penumbra/method/method.h"
#include "penumbra/model/backbone.h"
#include "penumbra/train/experiment.h"
#include "penumbra/train/presets.h"
#include "penumbra/uncertainty/judge.h"

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
};

// Settings that belong to no part.
const Kind kSections[] = {
    {"run", "", nullptr, [](const std::string&, Options& options) { RunOptions{options}; }},
    {"train", "", nullptr, [](const std::string&, Options& options) { TrainOptions{options}; }},
    {"uncertainty", "", nullptr,
     [](const std::string&, Options& options) { JudgeOptions{options}; }},
};

std::string parts_table(const std::vector<PartInfo>& parts) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& part : parts) rows.push_back({part.name, part.summary});
  return format_table(rows);
}

std::string list_kind(const Kind& kind) { return parts_table(kind.list()); }

// The paragraph of a part, or its line where it has none.
std::string about(const PartInfo& part) {
  return part.about.empty() ? fmt::format("{}: {}\n", part.name, part.summary) : part.about;
}

std::string option_table(const std::string& prefix, const Options& options) {
  std::vector<std::vector<std::string>> rows{{"option", "default", "allowed", "meaning"}};
  for (const auto& option : options.described())
    rows.push_back({prefix + option.key, option.value.empty() ? "-" : option.value,
                    option.allowed.empty() ? "any text" : option.allowed, option.meaning});
  return format_table(rows);
}

std::string list_options(const Kind& kind, const std::string& name) {
  Options options;
  kind.make(name, options);
  std::string text;
  for (const auto& part : kind.list())
    if (part.name == name) text += about(part) + "\n";
  return text + (options.described().empty() ? "It has no options.\n" : option_table("", options));
}

std::string list_settings() {
  std::string text;
  for (const auto& section : kSections) {
    Options options;
    section.make("", options);
    text += (text.empty() ? "" : "\n") + option_table(section.one + ".", options);
  }
  return text;
}

// What it sets for 32 x 32 colour pictures of ten classes: for every method, then what one has
// otherwise.
std::string list_preset(const std::string& name) {
  std::map<std::string, std::map<std::string, std::string>> by_method;
  std::map<std::string, std::map<std::string, int>> times;  // of each value of a setting
  for (const auto& method : list_methods()) {
    const PresetFacts facts{name, method.name, "cifar10", "", "randaugment", {3, 32, 32}, 10};
    auto& settings = by_method[method.name];
    for (const auto& setting : preset_settings(facts))
      settings.emplace(setting.name, setting.value);
    for (const auto& [key, value] : settings) ++times[key][value];
  }
  std::vector<std::vector<std::string>> rows{{"method", "sets"}};
  const auto all = static_cast<int>(by_method.size());
  const auto usual = [&](const std::string& key) {
    const auto& values = times.at(key);
    const auto most =
        std::max_element(values.begin(), values.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    return 2 * most->second > all ? most->first : std::string();
  };
  for (const auto& [key, values] : times)
    if (const auto value = usual(key); !value.empty()) rows.push_back({"all", key + "=" + value});
  for (const auto& [method, settings] : by_method) {
    for (const auto& [key, value] : settings)
      if (value != usual(key)) rows.push_back({method, key + "=" + value});
    for (const auto& [key, values] : times)
      if (settings.count(key) == 0 && !usual(key).empty())
        rows.push_back({method, key + " as it comes"});
  }
  return format_table(rows);
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
  if (what == "settings" && name.empty()) return list_settings();
  if ((what == "preset" || what == "presets") && !name.empty()) return list_preset(name);
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
  if (what == "preset" || what == "presets") return parts_table(list_presets());
  if (what.empty()) return known + "presets\n" + parts_table(list_presets());
  fail("nothing to list called '", what, "'; there are:", known, " presets settings");
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("list", "Every part there is, and the options of one");
  auto what = std::make_shared<std::string>(), name = std::make_shared<std::string>();
  command->add_option(
      "KIND", *what,
      "datasets, policies, backbones, estimators, methods, presets; settings: what belongs to no "
      "part; without it, all parts");
  command->add_option("NAME", *name,
                      "one part of that kind, to see its options, or what a preset sets");
  auto format = std::make_shared<std::string>("table");
  command->add_option("--format", *format, "table, or markdown with every part of a kind in full")
      ->check(CLI::IsMember({"table", "markdown"}))
      ->capture_default_str();
  command->footer(
      "Example:  penumbra list dataset folder\n"
      "          penumbra list preset quick");
  command->callback([=, &action] {
    action = [=] {
      std::cout << list(*what, *name, *format);
      return 0;
    };
  });
}

}  // namespace penumbra::app
