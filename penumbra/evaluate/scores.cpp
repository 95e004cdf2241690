#include "penumbra/evaluate/scores.h"

#include <algorithm>
#include <cmath>

#include "penumbra/evaluate/certify.h"

namespace penumbra {
namespace {

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
