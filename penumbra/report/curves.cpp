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
  if (!is_there(metrics)) return curves;
  std::istringstream lines(read_file(metrics));
  for (std::string line; std::getline(lines, line);) {
    const auto report = parse_json_line(line);
    if (!report || !report->contains("step") || !report->at("step").is_number()) continue;
    for (const auto& [name, value] : report->items()) {
      if (!value.is_number()) continue;
      curves.last[name] = value;
      if (name == "step" || name == "seconds") continue;
      found[name].steps.push_back(report->at("step"));
      found[name].values.push_back(value);
    }
  }
  for (const auto& [name, series] : found)
    curves.series.push_back({{"name", name}, {"steps", series.steps}, {"values", series.values}});
  return curves;
}

}  // namespace penumbra
