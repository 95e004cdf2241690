#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "penumbra/model/classifier.h"

namespace penumbra {

// What became of one tensor of the file or of the model.
struct InitialiseRow {
  std::string name;
  bool taken = false;
  std::string reason;  // why it was skipped; empty when taken
};

// Starts a classifier from weights made elsewhere (`--init FILE`): torchvision's ResNet-18 saved
// as safetensors, or the file of an earlier run. Tensors with the same name and shape are taken.
// The classifier and the heads stay new where the classes differ, in number or, where the file
// lists its classes (metadata "classes", a JSON list), in name. Throws Error when no layer fits
// or a tensor holds values that are not finite; the classifier is then as it was.
std::vector<InitialiseRow> initialise(Classifier& classifier, const std::filesystem::path& path,
                                      const std::vector<std::string>& classes);

}  // namespace penumbra
