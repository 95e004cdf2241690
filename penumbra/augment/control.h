#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "penumbra/augment/operation.h"

namespace penumbra {

// One of CTAugment's operations: how many bins each of its parameters has (0: no such parameter).
struct ControlledOperation {
  Operation operation;
  std::array<int, 2> bins;
};

// The list of Google's code: 18 operations with parameters, and the identity.
const std::vector<ControlledOperation>& controlled_operations();

// The operation at levels 0 to 1. A cutout is placed by (x, y), each 0 to 1.
Action controlled_action(Operation operation, const std::array<float, 2>& level, const Shape& shape,
                         float x, float y);

// How well the model takes each bin: 1 perfectly, 0 not at all. One vector per operation and
// parameter, in the order of the list.
using Rates = std::vector<std::array<std::vector<float>, 2>>;
Rates initial_rates();

// p = rate + (1 - decay), divided by its largest, nothing where below threshold, as running sums
// up to 1: the chances of the bins.
std::vector<float> cumulative_chances(const std::vector<float>& rate, double threshold,
                                      double decay);

}  // namespace penumbra
