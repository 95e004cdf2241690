#pragma once
#include <string>

#include "penumbra/core/options.h"

namespace penumbra {

// Where the averages that thresholds follow begin: the option `averages`.
struct AverageStart {
  std::string averages = "even";

  void read(Options& options) {
    options.read_choice("averages", averages, {"even", "first"},
                        "even: they begin at equal classes and low confidence, as the authors have "
                        "it; first: at those of the first batch, for a network that has learnt");
  }
  // The share of an average that stays, once it followed a batch or before.
  double keep(double momentum, bool followed) const {
    return averages == "first" && !followed ? 0 : momentum;
  }
};

}  // namespace penumbra
