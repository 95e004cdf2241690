#include "app/prediction.h"

#include <fmt/format.h>

#include "penumbra/core/csv.h"
#include "penumbra/core/json.h"

namespace penumbra::app {
namespace {

std::string to_jsonl(const Prediction& prediction, bool truth, bool judged) {
  const auto& said = prediction.judgement;
  Json json{{"file", prediction.file}};
  if (!prediction.error.empty()) {
    json["error"] = prediction.error;
    return json_text(json) + '\n';
  }
  if (truth) json["truth"] = prediction.truth;
  json.update(
      {{"class", prediction.label}, {"probability", said.probability}, {"entropy", said.entropy}});
  if (judged)
    json.update({{"aleatoric", said.aleatoric},
                 {"epistemic", said.epistemic},
                 {"epistemic_percentile", said.epistemic_percentile},
                 {"verdict", to_string(said.verdict)}});
  return json_text(json) + '\n';
}

std::string to_csv(const Prediction& prediction, bool truth, bool judged) {
  const auto& said = prediction.judgement;
  auto text = csv_field(prediction.file);
  if (truth) text += ',' + csv_field(prediction.truth);
  if (!prediction.error.empty())
    return fmt::format("{},,,,,,,,{}\n", text, csv_field(prediction.error));
  const auto uncertainties =
      judged ? fmt::format("{:.6f},{:.6g},{:.6f},{}", said.aleatoric, said.epistemic,
                           said.epistemic_percentile, to_string(said.verdict))
             : std::string(",,,");
  return fmt::format("{},{},{:.6f},{:.6f},{},\n", text, csv_field(prediction.label),
                     said.probability, said.entropy, uncertainties);
}

}  // namespace

std::string PredictionFormat::header() const {
  if (kind == Kind::kJsonl) return "";
  return fmt::format(
      "file,{}class,probability,entropy,aleatoric,epistemic,epistemic_percentile,verdict,error\n",
      truth ? "truth," : "");
}

std::string PredictionFormat::line(const Prediction& prediction) const {
  return kind == Kind::kJsonl ? to_jsonl(prediction, truth, judged)
                              : to_csv(prediction, truth, judged);
}

std::vector<std::string> prediction_header(const Judge* judge) {
  std::vector<std::string> header{"file", "class", "probability", "entropy"};
  if (judge != nullptr)
    header.insert(header.end(), {judge->has_variance() ? "aleatoric" : "aleatoric (entropy)",
                                 "epistemic", "percentile", "verdict"});
  return header;
}

std::vector<std::string> prediction_row(const Prediction& prediction, bool judged) {
  if (!prediction.error.empty()) return {prediction.file, "error: " + prediction.error};
  const auto& said = prediction.judgement;
  std::vector<std::string> row{prediction.file, prediction.label,
                               fmt::format("{:.3f}", said.probability),
                               fmt::format("{:.3f}", said.entropy)};
  if (judged)
    row.insert(row.end(),
               {fmt::format("{:.3f}", said.aleatoric), fmt::format("{:.3g}", said.epistemic),
                fmt::format("{:.1f} %", 100 * said.epistemic_percentile),
                std::string(to_string(said.verdict))});
  return row;
}

}  // namespace penumbra::app
