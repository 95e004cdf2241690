#include "penumbra/evaluate/strangers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_set>

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
  const auto lost = count - static_cast<std::size_t>(readable.sum().item<int64_t>());
  if (lost == count)
    fail("'", folder.string(), "' has no picture to show as a stranger: ", files.size(), " found, ",
         lost, " of them unreadable; expected JPEG, PNG or WebP files at any depth");
  if (lost > 0)
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

std::string path_among(const std::vector<OptionInfo>& options) {
  for (const auto& option : options)
    if (option.key == "path") return option.value;
  return {};
}

// Where the pictures of a section lie, as far as they are in files.
std::string path_of(const Experiment& experiment, const std::string& section) {
  for (const auto& [name, options] : experiment.effective)
    if (name == section) return path_among(options);
  return {};
}

// The strangers' folder, one in it, or one around it.
void refuse_own_files(const std::string& name, const std::string& path,
                      const Experiment& experiment) {
  const auto& run = experiment.run;
  const auto shared = [&](const std::string& own) {
    return !own.empty() && (name == own || is_below(path, own) || is_below(own, path));
  };
  if (shared(run.data) || shared(path_of(experiment, "data")))
    fail("'", name, "' is what the model was trained on, or holds it (", run.data,
         "): expected other pictures");
  if (shared(run.pool) || shared(path_of(experiment, "pool")))
    fail("'", name, "' is the pool that the model was trained on, or holds it (", run.pool,
         "): expected other pictures");
}

// The bytes of each picture, which live as long as `pixels` [N, H, W, C].
std::vector<std::string_view> bytes_of_each(const torch::Tensor& pixels) {
  std::vector<std::string_view> pictures;
  const auto count = pixels.size(0);
  const auto each = count == 0 ? 0 : static_cast<std::size_t>(pixels.numel() / count);
  const auto* bytes = reinterpret_cast<const char*>(pixels.data_ptr<uint8_t>());
  for (int64_t i = 0; i < count; ++i)
    pictures.emplace_back(bytes + static_cast<std::size_t>(i) * each, each);
  return pictures;
}

// A copy of the test pictures has another path. Pictures are compared one by one: of a copy only
// some may be shown, and in another order.
void refuse_test_pictures(const Strangers& strangers, const Experiment& experiment) {
  const auto& train = experiment.training.source.images.pixels;
  const auto test =
      (experiment.test.size() > 0
           ? experiment.test.pixels
           : train.index_select(0, torch::tensor(experiment.split.test, torch::kLong)))
          .contiguous();
  const auto shown = strangers.images.pixels.contiguous();
  const auto known = bytes_of_each(test), asked = bytes_of_each(shown);
  const std::unordered_set<std::string_view> own(known.begin(), known.end());
  if (std::all_of(asked.begin(), asked.end(),
                  [&](std::string_view picture) { return own.count(picture) != 0; }))
    fail("'", strangers.name, "' is a copy: each of its ", asked.size(),
         " pictures is a test picture of ", experiment.run.data, "; expected other pictures");
}

}  // namespace

std::vector<std::string> stranger_names(const std::vector<std::string>& given) {
  std::vector<std::string> names;
  for (auto name : given) {
    while (name.size() > 1 && name.back() == '/') name.pop_back();
    for (const auto& other : names)
      if (name == other || (is_below(name, other) && is_below(other, name)))
        fail("--ood '", name, "' is given twice (", other,
             "): expected each set of strangers once");
    names.push_back(name);
  }
  return names;
}

Strangers open_strangers(const std::string& name_or_path, const std::filesystem::path& root,
                         Reading& reading, const Experiment& experiment) {
  refuse_own_files(name_or_path, name_or_path, experiment);
  const auto opened = open_dataset(name_or_path, root);
  const auto path = path_among(opened.options);
  refuse_own_files(name_or_path, path, experiment);
  Strangers found{name_or_path, {}};
  if (opened.name == "folder" && !path.empty()) {
    found.images = read_pictures(path, experiment.model, reading);
  } else {
    found.images = opened.dataset->test(reading);
    if (found.images.size() == 0) found.images = opened.dataset->train(reading);
    if (found.images.size() == 0)
      fail("'", name_or_path, "' has no pictures: expected some to show as strangers");
    found.images =
        reshaped(some_of(found.images, kMostStrangers), experiment.model, reading.threads);
  }
  refuse_test_pictures(found, experiment);
  return found;
}

Said say(const Output& output, const Judge* judge) {
  return {output, judge != nullptr ? judge->judge(output) : judge_roughly(output)};
}

std::vector<NamedScores> ready_scores(const Said& test, const std::vector<Said>& strangers,
                                      const Judge* judge) {
  std::vector<NamedScores> all;
  using Score = std::function<std::vector<double>(const Said&)>;
  const auto add = [&](const char* name, const Score& scores_of) {
    NamedScores made{name, scores_of(test), {}};
    for (const auto& said : strangers) made.strangers.push_back(scores_of(said));
    all.push_back(std::move(made));
  };
  const auto each = [](auto score) {
    return [score](const Said& said) {
      std::vector<double> values;
      values.reserve(said.judgements.size());
      for (const auto& one : said.judgements) values.push_back(score(one));
      return values;
    };
  };
  add("max_probability", each([](const Judgement& one) { return 1 - one.probability; }));
  add("entropy", each([](const Judgement& one) { return one.entropy; }));
  if (judge == nullptr) return all;
  add("epistemic", each([](const Judgement& one) { return one.epistemic; }));
  if (judge->has_certificates())
    add("certificates",
        [&](const Said& said) { return to_doubles(judge->certificate_scores(said.output)); });
  if (judge->has_variance())
    add("variance_head", each([](const Judgement& one) { return one.variance; }));
  return all;
}

std::string twin_of_epistemic(const std::vector<NamedScores>& scores) {
  const auto epistemic = std::find_if(scores.begin(), scores.end(),
                                      [](const auto& one) { return one.name == "epistemic"; });
  if (epistemic == scores.end()) return {};
  // Fitted twice to the same images, with rounding of its own each time.
  const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-4 * std::abs(a) + 1e-9; };
  for (const auto& one : scores)
    if (&one != &*epistemic && std::equal(one.test.begin(), one.test.end(), epistemic->test.begin(),
                                          epistemic->test.end(), near))
      return one.name;
  return {};
}

std::optional<RankedScores> right_against_wrong(const std::vector<double>& scores,
                                                const std::vector<bool>& wrong) {
  std::vector<double> of_right, of_wrong;
  for (std::size_t i = 0; i < wrong.size(); ++i)
    (wrong[i] ? of_wrong : of_right).push_back(scores[i]);
  if (of_right.empty() || of_wrong.empty()) return {};
  return RankedScores(of_right, of_wrong);
}

std::vector<ScoreQuality> qualities_of(const std::vector<NamedScores>& scores,
                                       const std::vector<bool>& wrong, const Bootstrap& how) {
  const auto sets = scores.empty() ? 0 : scores[0].strangers.size();
  std::vector<RankedAnswers> answers;
  std::vector<RankedScores> right_and_wrong;
  std::vector<std::vector<RankedScores>> familiar_and_strange(sets);  // [set][score]
  for (const auto& one : scores) {
    answers.emplace_back(one.test, wrong);
    if (auto both = right_against_wrong(one.test, wrong)) right_and_wrong.push_back(*both);
    for (std::size_t set = 0; set < sets; ++set)
      familiar_and_strange[set].emplace_back(one.test, one.strangers[set]);
  }
  const auto selective = selective_intervals(answers, how);
  const auto own_errors = detection_intervals(right_and_wrong, how);
  std::vector<ScoreQuality> qualities;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    qualities.push_back({scores[i].name, {}, selective[i], {}});
    if (!own_errors.empty()) qualities[i].own_errors = own_errors[i].auroc;
  }
  for (const auto& set : familiar_and_strange) {
    const auto found = detection_intervals(set, how);
    for (std::size_t i = 0; i < qualities.size(); ++i) qualities[i].detections.push_back(found[i]);
  }
  return qualities;
}

std::vector<NamedScores> fitted_scores(Classifier& classifier, const Experiment& experiment,
                                       const Said& test, const std::vector<Said>& strangers,
                                       const std::vector<NamedScores>& ready,
                                       const std::function<void(int64_t, int64_t)>& done) {
  const auto familiar = look_at_familiar(classifier, experiment);
  std::vector<NamedScores> scores;
  auto all = candidates(test.output, experiment.judge);
  const auto is_ready = [&](const Candidate& candidate) {
    return std::any_of(ready.begin(), ready.end(),
                       [&](const NamedScores& one) { return one.name == candidate.name; });
  };
  all.erase(std::remove_if(all.begin(), all.end(), is_ready), all.end());
  for (auto& candidate : all) {
    const auto estimator = make_estimator(candidate.estimator, candidate.options);
    estimator->fit(familiar.said, familiar.labels);
    NamedScores made{candidate.name, to_doubles(estimator->score(test.output)), {}};
    for (const auto& said : strangers)
      made.strangers.push_back(to_doubles(estimator->score(said.output)));
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
