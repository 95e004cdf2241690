#pragma once
#include <string>

#include "penumbra/train/experiment.h"

namespace penumbra {

// Differs when the configuration or the data does. A gigabyte of pictures takes a second; of larger
// sets every second picture is looked at, or every third, and so on.
std::string fingerprint_of(const Experiment& experiment);

}  // namespace penumbra
