#include "penumbra/train/sweep_results.h"

#include <algorithm>
#include <sstream>

#include "penumbra/core/error.h"
#include "penumbra/core/file.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

// The last value of every number in metrics.jsonl, and the best validation accuracy: that of the
// model that is judged.
Json summarise(const fs::path& metrics) {
  Json last = Json::object();
  double best = -1;
  std::istringstream lines(read_file(metrics));
  for (std::string line; std::getline(lines, line);) {
    const auto report = parse_json_line(line);
    if (!report) continue;
    for (const auto& [name, value] : report->items()) {
      if (!value.is_number()) continue;
      last[name] = value;
      if (name == "validation/accuracy") best = std::max(best, value.get<double>());
    }
  }
  if (best >= 0) last["validation_accuracy"] = best;
  return last;
}

bool is_result(const Json& row) {
  return row.contains("name") && row["name"].is_string() && row.contains("accuracy") &&
         row["accuracy"].is_number() && (!row.contains("seconds") || row["seconds"].is_number());
}

}  // namespace

std::vector<Json> read_results(const fs::path& file) {
  std::vector<Json> rows;
  if (!is_there(file)) return rows;
  std::istringstream lines(read_file(file));
  int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty()) continue;
    auto row = parse_json_line(line);
    if (!row || !is_result(*row))
      fail(file.string(), " line ", number,
           " is no result of a run: expected a JSON object with name and accuracy; ",
           "remove the line to do its run again");
    rows.push_back(std::move(*row));
  }
  return rows;
}

void write_results(const fs::path& file, const std::vector<Json>& rows) {
  std::string text;
  for (const auto& row : rows) text += json_text(row) + '\n';
  write_file(file, text);
}

Json result_row(const SweepRun& run, const Json& evaluation, const fs::path& run_folder) {
  Json row{{"name", run.name}};
  for (const auto& [name, value] : run.settings) row[name] = value;
  row["accuracy"] = evaluation.at("accuracy").at("value");
  const auto numbers = summarise(run_folder / "metrics.jsonl");
  const auto copy = [&](const char* name, const char* from) {
    if (numbers.contains(from)) row[name] = numbers[from];
  };
  copy("validation_accuracy", "validation_accuracy");
  row["labels_used"] = evaluation.at("labels_used");
  copy("images_per_second", "images_per_second");
  copy("mask", "mask");
  copy("pseudo_label_accuracy", "pseudo_label_accuracy");
  copy("seconds", "seconds");
  copy("steps", "step");
  return row;
}

const Json* find_result(const std::vector<Json>& rows, const SweepRun& run) {
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const Json& one) { return one.at("name") == run.name; });
  if (row == rows.end()) return nullptr;
  const auto differs = [&](const std::string& name, const std::string& then,
                           const std::string& now) {
    fail("the result of run '", run.name, "' was made with ", name, " = ", then,
         ", the sweep now has ", now, ": expected the same; name other 'results' and 'out' in ",
         "[sweep], or remove the row and the run's folder");
  };
  for (const auto& [name, value] : run.settings)
    if (!row->contains(name))
      differs(name, "nothing", value);
    else if (row->at(name) != value)
      differs(name, row->at(name).dump(), value);
  for (const auto& [name, value] : row->items())
    if (name.find('.') != std::string::npos && value_of(run, name).empty() && value != "")
      differs(name, value.dump(), "nothing");
  return &*row;
}

}  // namespace penumbra
