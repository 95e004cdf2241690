// penumbra predict: the class of any picture, how sure that is, and why not.

#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <new>

#include "app/command.h"
#include "app/prediction.h"
#include "app/process_setup.h"
#include "app/table.h"
#include "app/tell.h"
#include "penumbra/core/error.h"
#include "penumbra/core/parallel.h"
#include "penumbra/data/picture_files.h"
#include "penumbra/evaluate/certify.h"
#include "penumbra/evaluate/scores.h"
#include "penumbra/model/image_inference.h"
#include "penumbra/model/model_file.h"
#include "penumbra/model/picture_input.h"

namespace fs = std::filesystem;

namespace penumbra::app {
namespace {

struct PredictArguments {
  fs::path run;
  std::vector<std::string> pictures;
  std::string format = "table", precision = "fp32";
  int threads = 0;
};

// Files as they are, folders with every picture below them, "-" for names on standard input.
std::vector<std::string> find_pictures(const std::vector<std::string>& arguments) {
  std::vector<std::string> files;
  std::error_code odd;  // what cannot be looked at is taken for a file, whose row says why
  for (const auto& argument : arguments) {
    if (argument == "-") {
      for (std::string line; std::getline(std::cin, line);) {
        if (!line.empty() && line.back() == '\r') line.pop_back();  // a list from Windows
        if (!line.empty()) files.push_back(line);
      }
    } else if (fs::is_directory(argument, odd)) {
      LeftOut left_out;
      for (const auto& file : list_pictures(argument, "", &left_out))
        files.push_back((fs::path(argument) / file.name).string());
      for (const auto& folder : left_out.closed) files.push_back(folder.file);
    } else {
      files.push_back(argument);
    }
  }
  if (files.empty()) fail("there are no pictures to predict");
  return files;
}

// One batch of files, in their order.
std::vector<Prediction> predict(const Model& model, const Judge* judge,
                                const std::vector<std::string>& files, int threads) {
  const auto& input = model.info.input;
  std::vector<Prediction> predictions(files.size());
  Images images;
  images.pixels =
      torch::zeros({static_cast<int64_t>(files.size()), input.height, input.width, input.channels},
                   torch::kByte);
  parallel_for(files.size(), threads, [&](std::size_t i) {
    predictions[i].file = files[i];
    try {
      read_picture(files[i], model.info,
                   images.pixels[static_cast<int64_t>(i)].data_ptr<uint8_t>());
    } catch (const Error& error) {
      predictions[i].error = error.what();
    } catch (const std::bad_alloc&) {
      predictions[i].error = "there is not enough memory to decode it";
    }
  });
  const auto output =
      infer(*model.classifier, images, all_positions(images), model.info.normalisation);
  const auto judgements = say(output, judge).judgements;
  for (std::size_t i = 0; i < files.size(); ++i) {
    predictions[i].judgement = judgements[i];
    predictions[i].label = model.info.classes[static_cast<std::size_t>(judgements[i].label)];
  }
  return predictions;
}

int predict_command(const PredictArguments& arguments) {
  const int threads = set_up_process(arguments.threads);
  std::error_code odd;
  const auto path =
      fs::is_directory(arguments.run, odd) ? arguments.run / "best.safetensors" : arguments.run;
  const auto model = read_model(path);
  model.classifier->set_precision(parse_precision(arguments.precision));
  const auto judge = judge_of(model.info);
  const auto files = find_pictures(arguments.pictures);
  using Kind = PredictionFormat::Kind;
  const bool table = arguments.format == "table";
  const PredictionFormat format{arguments.format == "csv" ? Kind::kCsv : Kind::kJsonl,
                                /*truth=*/false, judge != nullptr};
  std::vector<std::vector<std::string>> rows{prediction_header(judge.get())};
  if (!table) std::cout << format.header();
  int failures = 0;
  const auto& input = model.info.input;
  const auto at_once =
      static_cast<std::size_t>(pictures_at_once(input.height, input.width, input.channels));
  for (std::size_t begin = 0; begin < files.size(); begin += at_once) {
    const auto end = std::min(files.size(), begin + at_once);
    const auto first = files.begin() + static_cast<std::ptrdiff_t>(begin);
    const std::vector<std::string> part{first, first + static_cast<std::ptrdiff_t>(end - begin)};
    for (const auto& p : predict(model, judge.get(), part, threads)) {
      failures += p.error.empty() ? 0 : 1;
      if (table)
        rows.push_back(prediction_row(p, judge != nullptr));
      else
        std::cout << format.line(p);
    }
    std::cout.flush();
  }
  if (table) std::cout << format_table(rows);
  if (!judge)
    tell(
        "penumbra: the model has no uncertainties: best.safetensors of a finished run has them, "
        "where the run had validation images");
  if (failures > 0)
    tell(fmt::format("penumbra: {} of {} pictures could not be read", failures, files.size()));
  return failures > 0 ? 2 : 0;
}

}  // namespace

void add_predict(CLI::App& app, Action& action) {
  auto* command =
      app.add_subcommand("predict", "The class of any picture, how sure that is, and why not");
  auto arguments = std::make_shared<PredictArguments>();
  command->add_option("RUN", arguments->run, "run folder or model file")->required();
  command
      ->add_option("PICTURES", arguments->pictures,
                   "pictures and folders; - reads names from stdin")
      ->required();
  command->add_option("--format", arguments->format, "table, csv or jsonl")
      ->check(CLI::IsMember({"table", "csv", "jsonl"}))
      ->capture_default_str();
  command
      ->add_option("--precision", arguments->precision,
                   "fp32, which says the same on every processor; bf16 is faster where the "
                   "processor has instructions for it")
      ->check(CLI::IsMember({"fp32", "bf16"}))
      ->capture_default_str();
  command->add_option("--threads", arguments->threads, "[all processors]")
      ->check(CLI::Range(1, 4096));
  command->footer(
      "A picture that cannot be read is one error row; the rest goes on, and the exit code is 2.\n"
      "Example:  penumbra predict runs/photos a.jpg holiday/ --format csv");
  command->callback([=, &action] { action = [=] { return predict_command(*arguments); }; });
}

}  // namespace penumbra::app
