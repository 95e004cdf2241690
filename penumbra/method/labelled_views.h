#pragma once
#include <string>

#include "penumbra/core/options.h"

namespace penumbra {

// Which views of labelled images a method learns from: its option `labelled`.
struct LabelledViews {
  std::string labelled = "weak";

  void read(Options& options) {
    options.read_choice("labelled", labelled, {"weak", "strong", "both"},
                        "views of labelled images; both: one half of a batch each");
  }
  // For Views::labelled_strong.
  double strong_share() const { return labelled == "weak" ? 0 : labelled == "both" ? 0.5 : 1; }
};

}  // namespace penumbra
