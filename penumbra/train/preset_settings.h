#pragma once
#include <vector>

#include "penumbra/train/presets.h"

// What each preset says, for presets.cpp alone. The first value of a name counts.

namespace penumbra {

// For two CPU cores and minutes. Muon's steps are worth two to three of SGD's. Batch norm's
// statistics and the moving averages must settle within a few hundred steps, and one unlabelled
// image for each labelled one makes a step. Labelled images are worth strong views as well, but by
// these alone a network of digits learns nothing at first. Chosen on validation images of
// Fashion-MNIST, CIFAR-10 and SVHN (docs/tuning.md).
std::vector<Setting> quick_settings(const PresetFacts& facts);

// As the authors trained: months on a CPU. What a method does not set for itself is FixMatch's;
// weights of WRN-28-8 for a hundred classes decay twice as fast there.
std::vector<Setting> paper_settings(const PresetFacts& facts);

inline void append(std::vector<Setting>& settings, const std::vector<Setting>& more) {
  settings.insert(settings.end(), more.begin(), more.end());
}

}  // namespace penumbra
