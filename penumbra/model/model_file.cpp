#include "penumbra/model/model_file.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "penumbra/core/error.h"
#include "penumbra/model/layers.h"
#include "penumbra/model/safetensors.h"

namespace penumbra {
namespace {

constexpr int kVersion = 1;
constexpr std::string_view kUncertaintyPrefix = "uncertainty.";
constexpr int64_t kMostPixels = int64_t{4096} * 4096;  // of the largest pictures that --size makes

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
          {"mirror", info.mirror},
          {"heads", heads},
          {"facts", info.facts},
          {"uncertainty", info.uncertainty}};
}

// Json would turn any number into a whole one, and what does not fit into anything.
int64_t whole_number(const Json& number, const char* what) {
  if (!number.is_number_integer())
    fail("its ", what, " is ", json_text(number), ": expected a whole number");
  return number.get<int64_t>();
}

InputShape parse_input(const Json& sizes) {
  std::vector<int64_t> input;
  for (const auto& size : sizes) input.push_back(whole_number(size, "input"));
  if (input.size() != 3) fail("its input has ", input.size(), " sizes, expected 3");
  for (const auto size : input)
    if (size < 1 || size > 1 << 14) fail("its input has the size ", size);
  if (input[0] > 4) fail("its input has ", input[0], " channels: expected at most 4");
  // A few bytes of description would otherwise have every picture made that large.
  if (input[1] * input[2] > kMostPixels)
    fail("its input has ", input[1], " x ", input[2], " pixels: expected at most 4096 x 4096");
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

// libtorch takes a name once, and none with a dot or nothing in it.
bool is_plain_word(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_';
  });
}

std::vector<HeadSpec> parse_heads(const Json& list) {
  std::vector<HeadSpec> heads;
  std::set<std::string> names;
  for (const auto& item : list) {
    HeadSpec head;
    head.name = item.at("name").get<std::string>();
    head.outputs = whole_number(item.at("outputs"), "number of a head's outputs");
    head.bias = item.at("bias").get<bool>();
    if (!is_plain_word(head.name))
      fail("a head is called '", head.name, "': expected letters, digits and underscores");
    if (!names.insert(head.name).second)
      fail("two heads are called '", head.name, "': expected a name for each");
    if (head.outputs < 1 || head.outputs > 1 << 16) fail("a head has ", head.outputs, " outputs");
    heads.push_back(head);
  }
  return heads;
}

// The sizes of a weight that lies in the file as [outputs, features].
std::pair<int64_t, int64_t> linear_sizes(const SafetensorsFile& file, const std::string& name) {
  for (const auto& entry : file.entries())
    if (entry.name == name && entry.shape.size() == 2) return {entry.shape[0], entry.shape[1]};
  fail("it has no weights ", name, " of two dimensions");
}

// Classes and heads must be those of the file before a layer is made for them. Returns the number
// of features that all of them take.
int64_t check_outputs(const SafetensorsFile& file, std::size_t classes,
                      const std::vector<HeadSpec>& heads) {
  const auto [outputs, features] = linear_sizes(file, "fc.weight");
  if (outputs != static_cast<int64_t>(classes))
    fail("it names ", classes, " classes, its fc.weight has ", outputs, ": expected as many");
  for (const auto& head : heads) {
    const auto [own, inputs] = linear_sizes(file, "heads." + head.name + ".weight");
    if (own != head.outputs || inputs != features)
      fail("its heads.", head.name, ".weight is [", own, ", ", inputs, "]: expected [",
           head.outputs, ", ", features, "]");
  }
  return features;
}

std::shared_ptr<Classifier> make_classifier(const SafetensorsFile& file, const Json& text,
                                            ModelInfo& info) {
  const auto heads = parse_heads(text.at("heads"));
  const auto features = check_outputs(file, info.classes.size(), heads);
  Options options;
  for (const auto& [key, value] : text.at("options").items())
    options.set(key, value.get<std::string>());
  // A few bytes of description may ask for a network of terabytes (wrn_1000_64).
  int64_t weights = 0;
  for (const auto& entry : file.entries())
    weights +=
        std::accumulate(entry.shape.begin(), entry.shape.end(), int64_t{1}, std::multiplies<>());
  const WeightAllowance allowance(weights);
  const auto backbone = make_backbone(info.backbone, info.input, options);
  info.options = options.described();
  // Weights of no features need no bytes, however many outputs they have.
  if (features != backbone->feature_size())
    fail("its fc.weight takes ", features, " features, its backbone ", info.backbone, " has ",
         backbone->feature_size(), ": expected as many, as in a file that penumbra wrote");
  return std::make_shared<Classifier>(backbone, static_cast<int64_t>(info.classes.size()), heads,
                                      make_generator(0));
}

Model parse(const SafetensorsFile& file) {
  const auto text = parse_json(file.metadata().at("penumbra"));
  if (const auto version = whole_number(text.at("version"), "version"); version != kVersion)
    fail("it is of version ", version, ", expected ", kVersion);
  Model model;
  auto& info = model.info;
  info.backbone = text.at("backbone").get<std::string>();
  info.input = parse_input(text.at("input"));
  info.fit = text.at("fit").get<std::string>();
  info.normalisation = parse_normalisation(text, info.input.channels);
  info.classes = parse_json(file.metadata().at("classes")).get<std::vector<std::string>>();
  if (info.classes.size() < 2) fail("it names ", info.classes.size(), " classes");
  info.mirror = text.value("mirror", false);
  info.facts = text.at("facts");
  info.uncertainty = text.value("uncertainty", Json());

  model.classifier = make_classifier(file, text, info);
  std::vector<NamedTensor> state;
  for (const auto& entry : file.entries()) {
    const bool uncertainty = entry.name.rfind(kUncertaintyPrefix, 0) == 0;
    auto& to = uncertainty ? info.uncertainty_tensors : state;
    auto values = file.tensor(entry.name);
    // Whatever is computed with them would be compared with thresholds and found below.
    if (values.is_floating_point() && !values.isfinite().all().item<bool>())
      fail("'", entry.name, "' has values that are not finite: expected numbers");
    to.push_back({uncertainty ? entry.name.substr(kUncertaintyPrefix.size()) : entry.name,
                  std::move(values)});
  }
  model.classifier->set_state(state);
  model.classifier->use_channels_last();
  model.classifier->set_mirrors(info.mirror);
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
