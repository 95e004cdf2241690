#pragma once
#include <string>
#include <vector>

#include "penumbra/train/experiment.h"

namespace penumbra {

// Pictures of something else than what a model was trained on, in the shape that it takes.
struct Strangers {
  std::string name;  // as it was given
  Images images;
};

// What was asked for by --ood, without slashes at the end. Throws Error where one set is there
// twice.
std::vector<std::string> stranger_names(const std::vector<std::string>& given);

// The test pictures of a dataset (its training pictures where it has none), or those of a folder;
// ten thousand at the most. Pictures of another size or with other channels are converted. Throws
// Error for the run's own data: its files or its pool's, a folder in or around them, or a copy of
// its test pictures.
Strangers open_strangers(const std::string& name_or_path, const std::filesystem::path& root,
                         Reading& reading, const Experiment& experiment);

}  // namespace penumbra
