#pragma once

namespace penumbra::loss {

// Weights that rise from 0 to 1 over the first `length` of a run, both shares of it; 1 afterwards,
// and from the start where length is 0.

// t, for t = progress / length
double linear_ramp(double progress, double length);

// exp(-5 (1 - t)^2): Laine and Aila 2017, https://arxiv.org/abs/1610.02242
double sigmoid_ramp(double progress, double length);

}  // namespace penumbra::loss
