#pragma once
#include <string>
#include <vector>

#include "penumbra/uncertainty/judge.h"

namespace penumbra::app {

// What is said of one picture; `error` alone where it cannot be read.
struct Prediction {
  std::string file;   // or its number, where pictures have no names
  std::string truth;  // its class, where that is known
  std::string label;  // the class that is predicted
  std::string error;
  Judgement judgement;
};

// How predictions are written for programs: one line each, in the words of docs/formats.md.
struct PredictionFormat {
  enum class Kind { kCsv, kJsonl } kind = Kind::kCsv;
  bool truth = false;   // with a column of it
  bool judged = false;  // with uncertainties

  std::string header() const;  // empty for JSON
  std::string line(const Prediction& prediction) const;
};

// For people.
std::vector<std::string> prediction_header(const Judge* judge);
std::vector<std::string> prediction_row(const Prediction& prediction, bool judged);

}  // namespace penumbra::app
