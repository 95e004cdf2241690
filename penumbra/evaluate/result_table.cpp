#include "penumbra/evaluate/result_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "penumbra/core/csv.h"
#include "penumbra/train/sweep_results.h"

namespace penumbra {
namespace {

constexpr const char* kSeed = "run.seed";

// "run.method" is called "method"; settings of other sections keep their full name.
std::string heading(const std::string& setting) {
  return setting.rfind("run.", 0) == 0 ? setting.substr(4) : setting;
}

std::string progress(const ResultTable& table) {
  return fmt::format("{} of {} runs so far", table.finished, table.planned);
}

// "84.12 ± 0.53"; one run has no deviation, none has no mean.
std::string accuracy(const ResultGroup& group, const char* plus_minus) {
  const auto& values = group.accuracies;
  if (values.empty()) return "-";
  if (values.size() == 1) return fmt::format("{:.2f}", values.front());
  return fmt::format("{:.2f} {} {:.2f}", mean(values), plus_minus, sample_deviation(values));
}

std::string published(const ResultGroup& group, const char* none) {
  return group.published ? fmt::format("{:.2f}", *group.published) : none;
}

// Puts `before` in front of each of the characters.
std::string escape(const std::string& text, const char* characters, char before) {
  std::string escaped;
  for (const char letter : text) {
    if (std::string_view(characters).find(letter) != std::string_view::npos) escaped += before;
    escaped += letter;
  }
  return escaped;
}

std::string escape_latex(const std::string& text) {
  std::string escaped;
  for (const char letter : text)
    if (letter == '\\')
      escaped += "\\textbackslash{}";
    else if (letter == '~' || letter == '^')
      escaped.append("\\").append(1, letter).append("{}");
    else
      escaped += escape(std::string(1, letter), "&%$#_{}", '\\');
  return escaped;
}

}  // namespace

ResultTable make_result_table(const Sweep& sweep, const std::vector<Json>& rows) {
  ResultTable table;
  table.has_published = !sweep.published.empty();
  for (const auto& name : sweep.grid)
    if (name != kSeed) table.columns.push_back(name);
  for (const auto& run : sweep.runs) {
    std::vector<std::string> values;
    for (const auto& column : table.columns) values.push_back(value_of(run, column));
    auto group = std::find_if(table.groups.begin(), table.groups.end(),
                              [&](const ResultGroup& one) { return one.values == values; });
    if (group == table.groups.end())
      group = table.groups.insert(table.groups.end(), {std::move(values), {}, 0, {}});
    if (const auto found = sweep.published.find(row_of(sweep, run)); found != sweep.published.end())
      group->published = found->second;
    ++group->planned;
    ++table.planned;
    if (const auto* row = find_result(rows, run)) {
      group->accuracies.push_back(100 * row->at("accuracy").get<double>());
      ++table.finished;
    }
  }
  return table;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double sample_deviation(const std::vector<double>& values) {
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

std::string to_markdown(const ResultTable& table) {
  std::string head = "|", rule = "|", body;
  for (const auto& column : table.columns) {
    head += fmt::format(" {} |", escape(heading(column), "|", '\\'));
    rule += "---|";
  }
  head += " accuracy in % | seeds |";
  rule += "---:|---:|";
  if (table.has_published) {
    head += " published |";
    rule += "---:|";
  }
  for (const auto& group : table.groups) {
    body += "|";
    for (const auto& value : group.values) body += fmt::format(" {} |", escape(value, "|", '\\'));
    body += fmt::format(" {} | {} |", accuracy(group, "±"), group.accuracies.size());
    if (table.has_published) body += fmt::format(" {} |", published(group, "-"));
    body += '\n';
  }
  return head + '\n' + rule + '\n' + body +
         fmt::format("\nMean and sample deviation over seeds; {}.\n", progress(table));
}

// What is planned is a column here: a line of its own would be no row of the file.
std::string to_csv(const ResultTable& table) {
  std::string text;
  for (const auto& column : table.columns) text += csv_field(heading(column)) + ',';
  text += "accuracy_mean,accuracy_deviation,runs,runs_planned";
  text += table.has_published ? ",published\n" : "\n";
  for (const auto& group : table.groups) {
    const auto& values = group.accuracies;
    for (const auto& value : group.values) text += csv_field(value) + ',';
    text += fmt::format("{},{},{},{}", values.empty() ? "" : fmt::format("{:.4f}", mean(values)),
                        values.size() < 2 ? "" : fmt::format("{:.4f}", sample_deviation(values)),
                        values.size(), group.planned);
    text += table.has_published ? ',' + published(group, "") + '\n' : "\n";
  }
  return text;
}

std::string to_latex(const ResultTable& table) {
  auto text =
      fmt::format("% {}\n\\begin{{tabular}}{{{}{}}}\n\\hline\n", progress(table),
                  std::string(table.columns.size(), 'l'), table.has_published ? "rrr" : "rr");
  for (const auto& column : table.columns) text += escape_latex(heading(column)) + " & ";
  text += "accuracy in \\% & seeds";
  text += table.has_published ? " & published \\\\\n\\hline\n" : " \\\\\n\\hline\n";
  for (const auto& group : table.groups) {
    for (const auto& value : group.values) text += escape_latex(value) + " & ";
    text += fmt::format("${}$ & {}", accuracy(group, "\\pm"), group.accuracies.size());
    text += (table.has_published ? " & " + published(group, "-") : "") + " \\\\\n";
  }
  return text + "\\hline\n\\end{tabular}\n";
}

}  // namespace penumbra
