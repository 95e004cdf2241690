#pragma once
#include <string>
#include <vector>

#include "penumbra/train/experiment.h"

namespace penumbra {

// A line for each part that judges the model and has pictures, pixel for pixel, that it also learns
// from: what is measured on them is too good. Data of more than a gigabyte is not compared.
std::vector<std::string> describe_leaks(const Experiment& experiment);

}  // namespace penumbra
