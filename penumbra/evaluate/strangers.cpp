#include "penumbra/evaluate/strangers.h"

#include <fmt/format.h>

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
// cannot be read are left out, and said to be.
Images read_pictures(const std::filesystem::path& folder, const ModelInfo& model,
                     Reading& reading) {
  auto files = list_pictures(folder, "");
  const auto count = std::min<std::size_t>(files.size(), kMostStrangers);
  Images images;
  images.pixels = empty_pixels(static_cast<int64_t>(count), model.input.height, model.input.width,
                               model.input.channels);
  const auto readable = torch::ones({static_cast<int64_t>(count)}, torch::kBool);
  parallel_for(count, reading.threads, [&](std::size_t i) {
    const auto row = static_cast<int64_t>(i);
    try {
      read_picture(folder / files[i * files.size() / count].name, model,
                   images.pixels[row].data_ptr<uint8_t>());
    } catch (const Error&) {
      readable.data_ptr<bool>()[i] = false;
    }
  });
  if (const auto lost = count - readable.sum().item<int64_t>(); lost > 0)
    reading.notes.push_back(fmt::format("{} of {} pictures in {} cannot be read and are left out",
                                        lost, count, folder.string()));
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

// Whether a folder is another, or lies in it, by whatever names.
bool is_below(const std::filesystem::path& inner, const std::filesystem::path& outer) {
  std::error_code unseen;
  if (!std::filesystem::is_directory(inner, unseen) ||
      !std::filesystem::is_directory(outer, unseen))
    return false;
  const auto from = std::filesystem::canonical(outer), to = std::filesystem::canonical(inner);
  return std::mismatch(from.begin(), from.end(), to.begin(), to.end()).first == from.end();
}

// Where the run's data lies, as far as it is in files.
std::filesystem::path path_of(const Experiment& experiment) {
  for (const auto& [section, options] : experiment.effective)
    for (const auto& option : options)
      if (section == "data" && option.key == "path") return option.value;
  return {};
}

}  // namespace

Strangers open_strangers(const std::string& name_or_path, const std::filesystem::path& root,
                         Reading& reading, const Experiment& experiment) {
  if (name_or_path == experiment.run.data || is_below(name_or_path, experiment.run.data) ||
      is_below(name_or_path, path_of(experiment)))
    fail("'", name_or_path, "' is what the model was trained on: expected other pictures");
  if (std::filesystem::is_directory(name_or_path))
    if (auto images = read_pictures(name_or_path, experiment.model, reading); images.size() > 0)
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
                                      const Judge* judge) {
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
  if (judge == nullptr) return all;
  add("epistemic", [](const Judgement& one) { return one.epistemic; });
  if (judge->has_certificates())
    add("certificates", [](const Judgement& one) { return one.certificates; });
  if (judge->has_variance())
    add("variance_head", [](const Judgement& one) { return one.aleatoric; });
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
                                       const std::vector<NamedScores>& ready,
                                       const std::function<void(int64_t, int64_t)>& done) {
  const auto familiar = look_at_familiar(classifier, experiment);
  std::vector<NamedScores> scores;
  auto all = candidates(test, experiment.judge);
  const auto is_ready = [&](const Candidate& candidate) {
    return std::any_of(ready.begin(), ready.end(),
                       [&](const NamedScores& one) { return one.name == candidate.name; });
  };
  all.erase(std::remove_if(all.begin(), all.end(), is_ready), all.end());
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
