#include "penumbra/model/backbone.h"

#include "penumbra/model/backbones.inc"  // generated from backbones/*.cpp

namespace penumbra {
namespace {

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// The row with the longest name that is `name` or stands before an underscore of it.
const PluginRow<BackbonePlugin>& find_row(std::string_view name) {
  const PluginRow<BackbonePlugin>* best = nullptr;
  for (const auto& row : kBackbones) {
    const bool fits = name == row.name || starts_with(name, std::string(row.name) + "_");
    if (fits && (best == nullptr || row.name.size() > best->name.size())) best = &row;
  }
  return best != nullptr ? *best : find_plugin("backbone", kBackbones, name);
}

}  // namespace

void BackboneName::reject(std::string_view reason) const {
  fail("no backbone '", full, "': ", reason);
}

std::shared_ptr<Backbone> make_backbone(std::string_view name, const InputShape& input,
                                        Options& options, torch::Generator generator) {
  if (input.channels < 1 || input.height < 1 || input.width < 1)
    fail("backbone '", name, "' cannot take images of ", input.height, " x ", input.width,
         " pixels and ", input.channels, " channels");
  const auto& row = find_row(name);
  const auto rest = name.substr(std::min(name.size(), row.name.size() + 1));
  if (name.back() == '_') fail("no backbone '", name, "': nothing follows the last underscore");
  const auto given = options;
  const GlobalGeneratorScope scope;
  std::shared_ptr<Backbone> made =
      row.plugin->make(options, {std::string(name), std::string(rest)}, input);
  options.reject_unknown(std::string("backbone '").append(name).append("'"));
  made->reset(std::move(generator));
  made->remake_ = [name = std::string(name), input, given] {
    auto again = given;
    return make_backbone(name, input, again);
  };
  return made;
}

std::vector<PartInfo> list_backbones() { return list_plugins(kBackbones); }

}  // namespace penumbra
