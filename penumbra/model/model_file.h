#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "penumbra/augment/normalisation.h"
#include "penumbra/core/json.h"
#include "penumbra/model/classifier.h"

namespace penumbra {

// What prediction must know beside the weights; kept in the metadata of the model's file.
struct ModelInfo {
  std::string backbone;             // its name
  std::vector<OptionInfo> options;  // of the backbone, every effective value
  InputShape input;
  std::string fit = "crop";  // how a picture of another size is brought to the input's
  std::vector<std::string> classes;
  Normalisation normalisation;
  bool mirror = false;          // answers are for a picture and its mirror image together
  Json facts = Json::object();  // what a person may want to know: method, data, labels, accuracy
  // What judges the model's output (uncertainty/judge.h); null where there is none.
  Json uncertainty;
  std::vector<NamedTensor> uncertainty_tensors;
};

struct Model {
  ModelInfo info;
  std::shared_ptr<Classifier> classifier;  // in evaluation mode
};

// One safetensors file with PyTorch's parameter names, appearing whole or not at all.
void write_model(const std::filesystem::path& path, const Classifier& classifier,
                 const ModelInfo& info);

// Throws Error when it is not a model of ours, or its weights do not fit its description.
Model read_model(const std::filesystem::path& path);

}  // namespace penumbra
