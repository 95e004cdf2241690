#include "penumbra/evaluate/strangers.h"

#include "penumbra/core/error.h"
#include "penumbra/core/parallel.h"
#include "penumbra/data/resize.h"
#include "penumbra/evaluate/certify.h"
#include "penumbra/model/image_inference.h"

namespace penumbra {
namespace {

constexpr int64_t kMostStrangers = 10000;

// Grey as PIL makes it (ITU-R 601), or grey values three times.
Picture with_channels(const uint8_t* pixels, const Images& images, int64_t channels) {
  Picture picture;
  picture.height = static_cast<int>(images.height());
  picture.width = static_cast<int>(images.width());
  picture.channels = static_cast<int>(channels);
  const auto places = images.height() * images.width(), given = images.channels();
  picture.pixels.resize(static_cast<std::size_t>(places * channels));
  for (int64_t i = 0; i < places; ++i) {
    const uint8_t* from = pixels + i * given;
    uint8_t* to = picture.pixels.data() + i * channels;
    if (given == 3 && channels == 1)
      to[0] =
          static_cast<uint8_t>((from[0] * 19595 + from[1] * 38470 + from[2] * 7471 + 0x8000) >> 16);
    else
      for (int64_t c = 0; c < channels; ++c) to[c] = from[std::min(c, given - 1)];
  }
  return picture;
}

// The pictures in the shape that a model takes.
Images reshaped(const Images& images, const ModelInfo& model, int threads) {
  const auto& [channels, height, width] = model.input;
  if (images.channels() == channels && images.height() == height && images.width() == width)
    return images;
  if (height != width)
    fail("pictures of ", images.height(), " x ", images.width(), " x ", images.channels(),
         " cannot become ", height, " x ", width, " x ", channels,
         ": expected a model for square pictures");
  Images made;
  made.pixels = empty_pixels(images.size(), height, width, channels);
  made.labels = images.labels;
  const auto from = images.height() * images.width() * images.channels();
  const auto to = height * width * channels;
  const auto fit = model.fit == "stretch" ? Fit::kStretch : Fit::kCrop;
  parallel_for(static_cast<std::size_t>(images.size()), threads, [&](std::size_t i) {
    const auto row = static_cast<int64_t>(i);
    const auto picture =
        with_channels(images.pixels.data_ptr<uint8_t>() + row * from, images, channels);
    resize(picture, static_cast<int>(height), fit, made.pixels.data_ptr<uint8_t>() + row * to);
  });
  return made;
}

Images some_of(const Images& images, int64_t most) {
  if (images.size() <= most) return images;
  const auto chosen = torch::tensor(evenly(all_positions(images), most), torch::kLong);
  Images part;
  part.pixels = images.pixels.index_select(0, chosen);
  part.labels = images.labels.index_select(0, chosen);
  return part;
}

std::vector<double> to_doubles(const torch::Tensor& scores) {
  const auto values = scores.to(torch::kDouble).contiguous();
  return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
}

struct Candidate {
  std::string name, estimator;
  Options options;
};

// Every estimator as it comes, and the paper's own score beside it.
std::vector<Candidate> candidates(const Output& said, const JudgeOptions& judge) {
  std::vector<Candidate> all;
  for (const auto& part : list_estimators()) {
    if (part.name == "variance_head") {
      if (said.heads.count("variance") != 0)
        all.push_back({part.name, part.name, {{"variance", judge.variance}}});
      continue;
    }
    all.push_back({part.name, part.name, {}});
  }
  all.push_back(
      {"certificates, features as long as they are", "certificates", {{"normalise", "false"}}});
  if (said.heads.count("certificates") != 0) {
    all.push_back({"certificates as trained", "certificates", {{"source", "trained"}}});
    all.push_back({"certificates as trained, features as long as they are (the paper's)",
                   "certificates",
                   {{"source", "trained"}, {"normalise", "false"}}});
  }
  return all;
}

}  // namespace

Strangers open_strangers(const std::string& name_or_path, const std::filesystem::path& root,
                         Reading& reading, const Experiment& experiment) {
  const auto& input = experiment.model.input;
  Options options;
  const bool folder = std::filesystem::is_directory(name_or_path);
  if (folder) options.set("size", std::to_string(input.height));
  auto opened = open_dataset(name_or_path, root, options);
  if (opened.name != "folder" && folder) opened = open_dataset(name_or_path, root, {});
  if (name_or_path == experiment.run.data)
    fail("'", name_or_path, "' is what the model was trained on: expected other pictures");
  auto images = opened.dataset->test(reading);
  if (images.size() == 0) images = opened.dataset->train(reading);
  if (images.size() == 0) fail("'", name_or_path, "' has no pictures");
  return {name_or_path,
          reshaped(some_of(images, kMostStrangers), experiment.model, reading.threads)};
}

std::vector<ScoreQuality> compare_scores(Classifier& classifier, const Experiment& experiment,
                                         const Output& test, const torch::Tensor& labels,
                                         const std::vector<Output>& strangers) {
  const auto familiar = look_at_familiar(classifier, experiment);
  const auto wrong = test.logits.argmax(1) != labels;
  std::vector<ScoreQuality> qualities;
  for (auto& candidate : candidates(test, experiment.judge)) {
    const auto estimator = make_estimator(candidate.estimator, candidate.options);
    estimator->fit(familiar.said, familiar.labels);
    const auto scores = estimator->score(test);
    ScoreQuality quality;
    quality.score = candidate.name;
    const auto of_test = to_doubles(scores);
    const bool both = wrong.any().item<bool>() && !wrong.all().item<bool>();
    if (both)
      quality.own_errors =
          auroc(to_doubles(scores.index({~wrong})), to_doubles(scores.index({wrong})));
    for (const auto& said : strangers)
      quality.detections.push_back(detect(of_test, to_doubles(estimator->score(said))));
    qualities.push_back(std::move(quality));
  }
  return qualities;
}

}  // namespace penumbra
