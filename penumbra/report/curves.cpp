#include "penumbra/report/curves.h"

#include <map>
#include <sstream>

#include "penumbra/core/file.h"

namespace penumbra {

Curves read_curves(const std::filesystem::path& metrics) {
  struct Series {
    Json steps = Json::array(), values = Json::array();
  };
  std::map<std::string, Series> found;
  Curves curves{Json::array(), Json::object()};
  if (!std::filesystem::exists(metrics)) return curves;
  std::istringstream lines(read_file(metrics));
  for (std::string line; std::getline(lines, line);) {
    const auto report = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!report.is_object() || !report.contains("step")) continue;
    for (const auto& [name, value] : report.items()) {
      if (!value.is_number()) continue;
      curves.last[name] = value;
      if (name == "step" || name == "seconds") continue;
      found[name].steps.push_back(report["step"]);
      found[name].values.push_back(value);
    }
  }
  for (const auto& [name, series] : found)
    curves.series.push_back({{"name", name}, {"steps", series.steps}, {"values", series.values}});
  return curves;
}

}  // namespace penumbra
