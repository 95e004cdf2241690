#include "penumbra/model/model_file.h"

#include <cmath>

#include "penumbra/core/error.h"
#include "penumbra/model/safetensors.h"

namespace penumbra {
namespace {

constexpr int kVersion = 1;
constexpr std::string_view kUncertaintyPrefix = "uncertainty.";

Json describe(const Classifier& classifier, const ModelInfo& info) {
  Json options = Json::object(), heads = Json::array();
  for (const auto& option : info.options) options[option.key] = option.value;
  for (const auto& head : classifier.heads())
    heads.push_back({{"name", head.name}, {"outputs", head.outputs}, {"bias", head.bias}});
  return {{"version", kVersion},
          {"backbone", info.backbone},
          {"options", options},
          {"input", {info.input.channels, info.input.height, info.input.width}},
          {"fit", info.fit},
          {"mean", info.normalisation.mean},
          {"std", info.normalisation.std},
          {"heads", heads},
          {"facts", info.facts},
          {"uncertainty", info.uncertainty}};
}

InputShape parse_input(const Json& sizes) {
  const auto input = sizes.get<std::vector<int64_t>>();
  if (input.size() != 3) fail("its input has ", input.size(), " sizes, expected 3");
  for (const auto size : input)
    if (size < 1 || size > 1 << 14) fail("its input has the size ", size);
  if (input[0] > 4) fail("its input has ", input[0], " channels: expected at most 4");
  return {input[0], input[1], input[2]};
}

Normalisation parse_normalisation(const Json& text, int64_t channels) {
  Normalisation normalisation;
  normalisation.mean = text.at("mean").get<std::vector<float>>();
  normalisation.std = text.at("std").get<std::vector<float>>();
  const auto expected = static_cast<std::size_t>(channels);
  if (normalisation.mean.size() != expected || normalisation.std.size() != expected)
    fail("its normalisation does not fit ", channels, " channels");
  for (std::size_t c = 0; c < expected; ++c)
    if (const auto mean = normalisation.mean[c], deviation = normalisation.std[c];
        !std::isfinite(mean) || !std::isfinite(deviation) || deviation <= 0)
      fail("its normalisation has the mean ", mean, " and the deviation ", deviation);
  return normalisation;
}

std::vector<HeadSpec> parse_heads(const Json& list) {
  std::vector<HeadSpec> heads;
  for (const auto& item : list) {
    HeadSpec head;
    head.name = item.at("name").get<std::string>();
    head.outputs = item.at("outputs").get<int64_t>();
    head.bias = item.at("bias").get<bool>();
    if (head.outputs < 1 || head.outputs > 1 << 16) fail("a head has ", head.outputs, " outputs");
    heads.push_back(head);
  }
  return heads;
}

Model parse(const SafetensorsFile& file) {
  const auto text = parse_json(file.metadata().at("penumbra"));
  if (text.at("version").get<int>() != kVersion)
    fail("it is of version ", text.at("version").get<int>(), ", expected ", kVersion);
  Model model;
  auto& info = model.info;
  info.backbone = text.at("backbone").get<std::string>();
  info.input = parse_input(text.at("input"));
  info.fit = text.at("fit").get<std::string>();
  info.normalisation = parse_normalisation(text, info.input.channels);
  info.classes = parse_json(file.metadata().at("classes")).get<std::vector<std::string>>();
  if (info.classes.size() < 2) fail("it names ", info.classes.size(), " classes");
  info.facts = text.at("facts");
  info.uncertainty = text.value("uncertainty", Json());

  Options options;
  for (const auto& [key, value] : text.at("options").items())
    options.set(key, value.get<std::string>());
  const auto backbone = make_backbone(info.backbone, info.input, options);
  info.options = options.described();
  model.classifier =
      std::make_shared<Classifier>(backbone, static_cast<int64_t>(info.classes.size()),
                                   parse_heads(text.at("heads")), make_generator(0));
  std::vector<NamedTensor> state;
  for (const auto& entry : file.entries()) {
    const bool uncertainty = entry.name.rfind(kUncertaintyPrefix, 0) == 0;
    auto& to = uncertainty ? info.uncertainty_tensors : state;
    to.push_back({uncertainty ? entry.name.substr(kUncertaintyPrefix.size()) : entry.name,
                  file.tensor(entry.name)});
  }
  model.classifier->set_state(state);
  model.classifier->use_channels_last();
  model.classifier->eval();
  return model;
}

}  // namespace

void write_model(const std::filesystem::path& path, const Classifier& classifier,
                 const ModelInfo& info) {
  auto tensors = classifier.state();
  for (const auto& [name, tensor] : info.uncertainty_tensors)
    tensors.push_back({std::string(kUncertaintyPrefix) + name, tensor});
  write_safetensors(
      path, tensors,
      {{"penumbra", json_text(describe(classifier, info))}, {"classes", json_text(info.classes)}});
}

Model read_model(const std::filesystem::path& path) {
  const SafetensorsFile file(path);
  if (file.metadata().count("penumbra") == 0 || file.metadata().count("classes") == 0)
    fail(path.string(), " is not a model that penumbra wrote");
  try {
    return parse(file);
  } catch (const Json::exception& error) {
    fail(path.string(), ": its description is damaged (", error.what(), ")");
  } catch (const Error& error) {
    fail(path.string(), ": ", error.what());
  }
}

}  // namespace penumbra
