#include "penumbra/evaluate/strangers.h"

#include <algorithm>

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

// Every estimator as it comes, and the paper's own score beside it; not what needs no fitting.
std::vector<Candidate> candidates(const Output& said, const JudgeOptions& judge) {
  std::vector<Candidate> all;
  for (const auto& part : list_estimators()) {
    if (part.name == "entropy" || part.name == "max_probability") continue;
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

std::vector<NamedScores> ready_scores(const std::vector<Judgement>& test,
                                      const std::vector<std::vector<Judgement>>& strangers,
                                      bool judged) {
  std::vector<NamedScores> all;
  const auto add = [&](const char* name, const std::function<double(const Judgement&)>& score) {
    const auto scores = [&](const std::vector<Judgement>& said) {
      std::vector<double> values;
      for (const auto& one : said) values.push_back(score(one));
      return values;
    };
    NamedScores made{name, scores(test), {}};
    for (const auto& said : strangers) made.strangers.push_back(scores(said));
    all.push_back(std::move(made));
  };
  add("max_probability", [](const Judgement& one) { return 1 - one.probability; });
  add("entropy", [](const Judgement& one) { return one.entropy; });
  if (judged) add("epistemic", [](const Judgement& one) { return one.epistemic; });
  return all;
}

std::vector<ScoreQuality> qualities_of(const std::vector<NamedScores>& scores,
                                       const std::vector<bool>& wrong, const Bootstrap& how) {
  const auto mistakes = std::count(wrong.begin(), wrong.end(), true);
  const bool both = mistakes > 0 && mistakes < static_cast<std::ptrdiff_t>(wrong.size());
  const auto sets = scores.empty() ? 0 : scores[0].strangers.size();
  std::vector<ScoreQuality> qualities;
  std::vector<RankedAnswers> answers;
  std::vector<RankedScores> right_and_wrong;
  std::vector<std::vector<RankedScores>> familiar_and_strange(sets);  // [set][score]
  for (const auto& one : scores) {
    ScoreQuality quality;
    quality.score = one.name;
    quality.selective = selective_of(one.test, wrong);
    answers.emplace_back(one.test, wrong);
    if (both) {
      std::vector<double> of_right, of_wrong;
      for (std::size_t i = 0; i < wrong.size(); ++i)
        (wrong[i] ? of_wrong : of_right).push_back(one.test[i]);
      right_and_wrong.emplace_back(of_right, of_wrong);
    }
    for (std::size_t set = 0; set < sets; ++set) {
      quality.detections.push_back(detect(one.test, one.strangers[set]));
      familiar_and_strange[set].emplace_back(one.test, one.strangers[set]);
    }
    qualities.push_back(std::move(quality));
  }
  const auto aurc = aurc_intervals(answers, how);
  const auto own_errors = auroc_intervals(right_and_wrong, how);
  for (std::size_t i = 0; i < qualities.size(); ++i) {
    qualities[i].aurc = aurc[i];
    if (both) qualities[i].own_errors = own_errors[i];
  }
  for (const auto& set : familiar_and_strange) {
    const auto areas = auroc_intervals(set, how);
    for (std::size_t i = 0; i < qualities.size(); ++i) qualities[i].auroc.push_back(areas[i]);
  }
  return qualities;
}

std::vector<NamedScores> fitted_scores(Classifier& classifier, const Experiment& experiment,
                                       const Output& test, const std::vector<Output>& strangers,
                                       const std::function<void(int64_t, int64_t)>& done) {
  const auto familiar = look_at_familiar(classifier, experiment);
  std::vector<NamedScores> scores;
  auto all = candidates(test, experiment.judge);
  for (auto& candidate : all) {
    const auto estimator = make_estimator(candidate.estimator, candidate.options);
    estimator->fit(familiar.said, familiar.labels);
    NamedScores made{candidate.name, to_doubles(estimator->score(test)), {}};
    for (const auto& said : strangers) made.strangers.push_back(to_doubles(estimator->score(said)));
    scores.push_back(std::move(made));
    done(static_cast<int64_t>(scores.size()), static_cast<int64_t>(all.size()));
  }
  return scores;
}

std::vector<bool> mistakes_of(const Output& output, const torch::Tensor& labels) {
  const auto wrong = output.logits.argmax(1) != labels;
  return std::vector<bool>(wrong.data_ptr<bool>(), wrong.data_ptr<bool>() + wrong.numel());
}

}  // namespace penumbra
