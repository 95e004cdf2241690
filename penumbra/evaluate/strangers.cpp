#include "penumbra/evaluate/strangers.h"

#include "penumbra/core/error.h"
#include "penumbra/core/parallel.h"
#include "penumbra/data/picture_files.h"
#include "penumbra/evaluate/certify.h"
#include "penumbra/model/image_inference.h"
#include "penumbra/model/picture_input.h"

namespace penumbra {
namespace {

constexpr int64_t kMostStrangers = 10000;

Images some_of(const Images& images, int64_t most) {
  if (images.size() <= most) return images;
  const auto chosen = torch::tensor(evenly(all_positions(images), most), torch::kLong);
  Images part;
  part.pixels = images.pixels.index_select(0, chosen);
  part.labels = images.labels.index_select(0, chosen);
  return part;
}

// Every picture below a folder, whatever its layout: nobody asks for a stranger's class. Those that
// cannot be read are left out.
Images read_pictures(const std::filesystem::path& folder, const ModelInfo& model, int threads) {
  auto files = list_pictures(folder, "");
  const auto count = std::min<std::size_t>(files.size(), kMostStrangers);
  Images images;
  images.pixels = empty_pixels(static_cast<int64_t>(count), model.input.height, model.input.width,
                               model.input.channels);
  const auto readable = torch::ones({static_cast<int64_t>(count)}, torch::kBool);
  parallel_for(count, threads, [&](std::size_t i) {
    const auto row = static_cast<int64_t>(i);
    try {
      read_picture(folder / files[i * files.size() / count].name, model,
                   images.pixels[row].data_ptr<uint8_t>());
    } catch (const Error&) {
      readable.data_ptr<bool>()[i] = false;
    }
  });
  images.pixels = images.pixels.index({readable});
  images.labels = torch::full({images.size()}, kUnlabelled, torch::kLong);
  return images;
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
  if (name_or_path == experiment.run.data)
    fail("'", name_or_path, "' is what the model was trained on: expected other pictures");
  if (std::filesystem::is_directory(name_or_path))
    if (auto images = read_pictures(name_or_path, experiment.model, reading.threads);
        images.size() > 0)
      return {name_or_path, std::move(images)};
  const auto opened = open_dataset(name_or_path, root);
  auto images = opened.dataset->test(reading);
  if (images.size() == 0) images = opened.dataset->train(reading);
  if (images.size() == 0) fail("'", name_or_path, "' has no pictures");
  return {name_or_path,
          reshaped(some_of(images, kMostStrangers), experiment.model, reading.threads)};
}

std::vector<ScoreQuality> compare_scores(Classifier& classifier, const Experiment& experiment,
                                         const Output& test, const torch::Tensor& labels,
                                         const std::vector<Output>& strangers, const Bootstrap& how,
                                         const std::function<void(int64_t, int64_t)>& done) {
  const auto familiar = look_at_familiar(classifier, experiment);
  const auto wrong = test.logits.argmax(1) != labels;
  const std::vector<bool> is_wrong(wrong.data_ptr<bool>(), wrong.data_ptr<bool>() + wrong.numel());
  std::vector<ScoreQuality> qualities;
  auto all = candidates(test, experiment.judge);
  for (auto& candidate : all) {
    const auto estimator = make_estimator(candidate.estimator, candidate.options);
    estimator->fit(familiar.said, familiar.labels);
    const auto scores = estimator->score(test);
    ScoreQuality quality;
    quality.score = candidate.name;
    const auto of_test = to_doubles(scores);
    const bool both = wrong.any().item<bool>() && !wrong.all().item<bool>();
    if (both)
      quality.own_errors = auroc_interval(to_doubles(scores.index({~wrong})),
                                          to_doubles(scores.index({wrong})), how);
    quality.selective = selective_of(of_test, is_wrong);
    quality.aurc = aurc_interval(of_test, is_wrong, how);
    for (const auto& said : strangers) {
      const auto of_strangers = to_doubles(estimator->score(said));
      quality.detections.push_back(detect(of_test, of_strangers));
      quality.auroc.push_back(auroc_interval(of_test, of_strangers, how));
    }
    qualities.push_back(std::move(quality));
    done(static_cast<int64_t>(qualities.size()), static_cast<int64_t>(all.size()));
  }
  return qualities;
}

}  // namespace penumbra
