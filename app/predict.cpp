// penumbra predict: the class of any picture, and how probable it is.

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "app/command.h"
#include "app/process_setup.h"
#include "app/table.h"
#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "penumbra/core/json.h"
#include "penumbra/core/parallel.h"
#include "penumbra/data/picture_files.h"
#include "penumbra/data/resize.h"
#include "penumbra/evaluate/inference.h"
#include "penumbra/model/model_file.h"

namespace fs = std::filesystem;

namespace penumbra::app {
namespace {

struct PredictArguments {
  fs::path run;
  std::vector<std::string> pictures;
  std::string format = "table";
  int threads = 0;
};

// What is said of one picture; `error` alone where it cannot be read.
struct Prediction {
  std::string file, label, error;
  double probability = 0;
  double entropy = 0;  // of the predicted probabilities, 0 to 1 (all classes equally likely)
};

// Files as they are, folders with every picture below them, "-" for names on standard input.
std::vector<std::string> find_pictures(const std::vector<std::string>& arguments) {
  std::vector<std::string> files;
  for (const auto& argument : arguments) {
    if (argument == "-") {
      for (std::string line; std::getline(std::cin, line);)
        if (!line.empty()) files.push_back(line);
    } else if (fs::is_directory(argument)) {
      for (const auto& file : list_pictures(argument, ""))
        files.push_back((fs::path(argument) / file.name).string());
    } else {
      files.push_back(argument);
    }
  }
  if (files.empty()) fail("there are no pictures to predict");
  return files;
}

// The picture in the model's shape.
void load(const std::string& file, const ModelInfo& info, uint8_t* target) {
  const MappedFile bytes(file);
  DecodeRequest request;
  request.channels = static_cast<int>(info.input.channels);
  const bool square = info.input.height == info.input.width;
  if (square) request.short_side = static_cast<int>(info.input.height);
  const auto picture = decode_picture(bytes.data(), bytes.size(), request);
  if (picture.height == info.input.height && picture.width == info.input.width)
    std::copy(picture.pixels.begin(), picture.pixels.end(), target);
  else if (square)
    resize(picture, static_cast<int>(info.input.height),
           info.fit == "stretch" ? Fit::kStretch : Fit::kCrop, target);
  else
    fail("a picture of ", picture.width, " x ", picture.height, ", expected ", info.input.width,
         " x ", info.input.height);
}

// One batch of files, in their order.
std::vector<Prediction> predict(const Model& model, const std::vector<std::string>& files,
                                int threads) {
  const auto& input = model.info.input;
  std::vector<Prediction> predictions(files.size());
  Images images;
  images.pixels =
      torch::zeros({static_cast<int64_t>(files.size()), input.height, input.width, input.channels},
                   torch::kByte);
  parallel_for(files.size(), threads, [&](std::size_t i) {
    predictions[i].file = files[i];
    try {
      load(files[i], model.info, images.pixels[static_cast<int64_t>(i)].data_ptr<uint8_t>());
    } catch (const Error& error) {
      predictions[i].error = error.what();
    }
  });
  const auto logits =
      infer(*model.classifier, images, all_positions(images), model.info.normalisation).logits;
  const auto probabilities = logits.to(torch::kDouble).softmax(1);
  const auto entropies = -(probabilities * probabilities.clamp_min(1e-300).log()).sum(1) /
                         std::log(static_cast<double>(model.info.classes.size()));
  const auto [best, index] = probabilities.max(1);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    predictions[i].label = model.info.classes[static_cast<std::size_t>(index[row].item<int64_t>())];
    predictions[i].probability = best[row].item<double>();
    predictions[i].entropy = entropies[row].item<double>();
  }
  return predictions;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
  return quoted + '"';
}

std::string to_line(const Prediction& p, const std::string& format) {
  if (format == "jsonl") {
    const Json json = p.error.empty() ? Json{{"file", p.file},
                                             {"class", p.label},
                                             {"probability", p.probability},
                                             {"entropy", p.entropy}}
                                      : Json{{"file", p.file}, {"error", p.error}};
    // A name that is not UTF-8 must not stop the rest.
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  }
  return p.error.empty() ? fmt::format("{},{},{:.6f},{:.6f},\n", csv_field(p.file),
                                       csv_field(p.label), p.probability, p.entropy)
                         : fmt::format("{},,,,{}\n", csv_field(p.file), csv_field(p.error));
}

int predict_command(const PredictArguments& arguments) {
  const int threads = set_up_process(arguments.threads);
  const auto path =
      fs::is_directory(arguments.run) ? arguments.run / "best.safetensors" : arguments.run;
  const auto model = read_model(path);
  const auto files = find_pictures(arguments.pictures);
  std::vector<std::vector<std::string>> rows{{"file", "class", "probability", "entropy"}};
  if (arguments.format == "csv") std::cout << "file,class,probability,entropy,error\n";
  int failures = 0;
  constexpr std::size_t kAtOnce = 256;
  for (std::size_t begin = 0; begin < files.size(); begin += kAtOnce) {
    const auto end = std::min(files.size(), begin + kAtOnce);
    const auto first = files.begin() + static_cast<std::ptrdiff_t>(begin);
    for (const auto& p :
         predict(model, {first, first + static_cast<std::ptrdiff_t>(end - begin)}, threads)) {
      failures += p.error.empty() ? 0 : 1;
      if (arguments.format != "table")
        std::cout << to_line(p, arguments.format);
      else if (p.error.empty())
        rows.push_back({p.file, p.label, fmt::format("{:.3f}", p.probability),
                        fmt::format("{:.3f}", p.entropy)});
      else
        rows.push_back({p.file, "error: " + p.error});
    }
    std::cout.flush();
  }
  if (arguments.format == "table") std::cout << format_table(rows);
  if (failures > 0)
    fmt::print(stderr, "penumbra: {} of {} pictures could not be read\n", failures, files.size());
  return failures > 0 ? 2 : 0;
}

}  // namespace

void add_predict(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("predict", "The class of any picture");
  auto arguments = std::make_shared<PredictArguments>();
  command->add_option("RUN", arguments->run, "run folder or model file")->required();
  command
      ->add_option("PICTURES", arguments->pictures,
                   "pictures and folders; - reads names from stdin")
      ->required();
  command->add_option("--format", arguments->format, "table, csv or jsonl")
      ->check(CLI::IsMember({"table", "csv", "jsonl"}))
      ->capture_default_str();
  command->add_option("--threads", arguments->threads, "[all processors]")
      ->check(CLI::PositiveNumber);
  command->footer(
      "A picture that cannot be read is one error row; the rest goes on, and the exit code is 2.\n"
      "Example:  penumbra predict runs/photos a.jpg holiday/ --format csv");
  command->callback([=, &action] { action = [=] { return predict_command(*arguments); }; });
}

}  // namespace penumbra::app
