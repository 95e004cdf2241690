#pragma once
#include <optional>
#include <set>
#include <string>

#include "penumbra/train/trainer.h"

namespace penumbra {

// Looks for what commonly goes wrong in semi-supervised training and says it in plain words, each
// thing once.
class Watch {
 public:
  std::optional<std::string> see(const TrainReport& report);

 private:
  std::set<std::string> said_;
};

}  // namespace penumbra
