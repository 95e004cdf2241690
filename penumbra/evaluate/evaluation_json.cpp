#include "penumbra/evaluate/evaluation_json.h"

namespace penumbra {

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json to_json(const Metrics& metrics) {
  return {{"images", metrics.images},
          {"accuracy",
           {{"value", metrics.accuracy.value},
            {"low", metrics.accuracy.low},
            {"high", metrics.accuracy.high}}},
          {"top5", metrics.top5},
          {"balanced_accuracy", metrics.balanced_accuracy},
          {"nll", metrics.nll}};
}

Json per_class_json(const Metrics& metrics, const std::vector<std::string>& classes) {
  Json rows = Json::array();
  for (std::size_t c = 0; c < metrics.per_class.size(); ++c)
    rows.push_back({{"class", classes[c]},
                    {"images", metrics.per_class[c].images},
                    {"precision", or_null(metrics.per_class[c].precision)},
                    {"recall", or_null(metrics.per_class[c].recall)}});
  return rows;
}

Json to_json(const Calibration& calibration) {
  Json bins = Json::array();
  for (const auto& bin : calibration.bins)
    bins.push_back(
        {{"images", bin.images}, {"confidence", bin.confidence}, {"accuracy", bin.accuracy}});
  return {{"nll", calibration.nll},   {"brier", calibration.brier}, {"ece", calibration.ece},
          {"aece", calibration.aece}, {"mce", calibration.mce},     {"bins", bins}};
}

Json to_json(const Verdicts& verdicts) {
  Json json = Json::object();
  for (std::size_t v = 0; v < verdicts.counts.size(); ++v)
    json[std::string(to_string(kVerdicts[v]))] = {{"images", verdicts.counts[v].images},
                                                  {"right", verdicts.counts[v].right}};
  return json;
}

}  // namespace penumbra
