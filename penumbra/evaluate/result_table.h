#pragma once
#include <optional>
#include <string>
#include <vector>

#include "penumbra/core/json.h"
#include "penumbra/train/sweep.h"

namespace penumbra {

// Runs that differ in their seed alone.
struct ResultGroup {
  std::vector<std::string> values;  // one for each column of the table
  std::vector<double> accuracies;   // of the finished runs, in per cent
  int64_t planned = 0;              // runs, finished or not
  std::optional<double> published;  // accuracy in per cent that others report
};

struct ResultTable {
  std::vector<std::string> columns;  // names of the grid's settings, without run.seed
  std::vector<ResultGroup> groups;   // in the order of the sweep
  int64_t finished = 0, planned = 0;
  bool has_published = false;  // a column for it, where any row has one
};

// Rows that belong to no run of the sweep are left out; see find_result for contradictions.
ResultTable make_result_table(const Sweep& sweep, const std::vector<Json>& rows);

// mean = sum x / n
double mean(const std::vector<double>& values);
// sqrt(sum (x - mean)^2 / (n - 1)), of two values at least
double sample_deviation(const std::vector<double>& values);

std::string to_markdown(const ResultTable& table);
std::string to_csv(const ResultTable& table);
std::string to_latex(const ResultTable& table);

}  // namespace penumbra
