#pragma once
#include <string>
#include <vector>

#include "penumbra/train/experiment.h"

namespace penumbra {

// A small run on 80 coloured blobs of 8 x 8 pixels, 16 of them labelled and 16 for validation.
inline Experiment blobs_experiment(const std::vector<std::string>& settings = {}) {
  Config config;
  for (const char* setting : {"run.data=blobs", "data.count=80", "data.size=8", "run.labels=16",
                              "run.validation=16", "run.backbone=tiny"})
    config.set_argument(setting);
  for (const auto& setting : settings) config.set_argument(setting);
  Reading reading;
  return assemble(config, {}, reading);
}

}  // namespace penumbra
