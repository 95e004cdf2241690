#include "penumbra/uncertainty/judge.h"

#include <cmath>

#include "penumbra/core/error.h"
#include "penumbra/uncertainty/temperature.h"

namespace penumbra {
namespace {

constexpr int64_t kMostScores = int64_t{1} << 24;  // libtorch takes quantiles of no more

// Share of the ascending `reference` that is below each value, [N] in, [N] out. Below, not "not
// above": where most scores are the same, as at the end of their range, this is no reason for
// doubt.
torch::Tensor percentiles(const torch::Tensor& reference, const torch::Tensor& values) {
  const auto below = torch::searchsorted(reference, values.to(torch::kFloat).contiguous());
  return below.to(torch::kDouble) / static_cast<double>(reference.size(0));
}

torch::Tensor sorted(const torch::Tensor& scores) {
  return std::get<0>(scores.to(torch::kFloat).sort());
}

struct Calibrated {
  torch::Tensor probability, label, entropy;  // [N]
};

Calibrated calibrate(const torch::Tensor& logits, double temperature) {
  const auto log = (logits.to(torch::kDouble) / temperature).log_softmax(1);
  const auto [best, label] = log.max(1);
  const auto most = std::log(static_cast<double>(logits.size(1)));
  return {best.exp(), label, -(log.exp() * log).sum(1) / most};
}

// Values [N] as doubles, to be read one after the other: asking a tensor for each is slow.
class Values {
 public:
  explicit Values(const torch::Tensor& tensor) : tensor_(tensor.to(torch::kDouble).contiguous()) {}
  double operator[](std::size_t i) const { return tensor_.data_ptr<double>()[i]; }

 private:
  torch::Tensor tensor_;
};

std::vector<Judgement> to_judgements(const Calibrated& said) {
  const Values label(said.label), probability(said.probability), entropy(said.entropy);
  std::vector<Judgement> all(static_cast<std::size_t>(said.label.size(0)));
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].label = static_cast<int64_t>(label[i]);
    all[i].probability = probability[i];
    all[i].entropy = entropy[i];
  }
  return all;
}

void append(std::vector<NamedTensor>& to, const std::string& prefix,
            const std::vector<NamedTensor>& from) {
  for (const auto& [name, tensor] : from) to.push_back({prefix + name, tensor});
}

// Those whose names begin so, without that beginning.
std::vector<NamedTensor> below(std::string_view prefix, const std::vector<NamedTensor>& all) {
  std::vector<NamedTensor> found;
  for (const auto& [name, tensor] : all)
    if (name.rfind(prefix, 0) == 0) found.push_back({name.substr(prefix.size()), tensor});
  return found;
}

// Scores of held-out images as the model's file has them: searched by halving, so an order that a
// stranger broke would give any percentile.
torch::Tensor find_sorted(const std::vector<NamedTensor>& tensors, const char* name) {
  const auto found = find_tensor(tensors, name);
  if (found.dim() != 1 || found.numel() == 0 || found.numel() > kMostScores ||
      found.scalar_type() != torch::kFloat || !found.isfinite().all().item<bool>() ||
      !found.diff().ge(0).all().item<bool>())
    fail("the model's '", name, "' of shape ", found.sizes(), " and type ", found.scalar_type(),
         ": expected a list of ascending Floats, at most ", kMostScores,
         "; penumbra certify fits them anew");
  return found.contiguous();
}

// A share as the description has it: libtorch throws where it is asked for a quantile that is none.
double find_share(const Json& facts, const char* name) {
  const auto share = facts.at(name).get<double>();
  if (!(share >= 0 && share <= 1))
    fail("the model's '", name, "' is ", share, ": expected 0 to 1; penumbra certify fits it anew");
  return share;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kUnfamiliar:
      return "unfamiliar";
    case Verdict::kAmbiguous:
      return "ambiguous";
    case Verdict::kSure:
      break;
  }
  return "sure";
}

std::vector<Judgement> judge_roughly(const Output& output) {
  return to_judgements(calibrate(output.logits, /*temperature=*/1));
}

JudgeOptions::JudgeOptions(Options& options) {
  options.read("estimator", estimator, "of epistemic uncertainty: penumbra list estimators");
  options.read_choice("variance_head", variance, {"paper", "log"},
                      "what the model's variance head means, if it has one");
  options.read("ambiguous", ambiguous, {0, 1},
               "quantile of held-out images above which entropy or variance is ambiguous");
  options.read("unfamiliar", unfamiliar, {0, 1},
               "quantile of held-out images above which the epistemic score is unfamiliar");
  options.read("sure", sure, {0, 1}, "calibrated probability below which a picture is ambiguous");
  options.read("fit", fit, "at the end of a training; else by penumbra certify");
  if (estimator == "variance_head") options.set_default("variance", variance);
  const auto own = options.described().size();
  make_estimator(estimator, options);
  const auto& all = options.described();
  of_estimator.assign(all.begin() + static_cast<std::ptrdiff_t>(own), all.end());
}

void Judge::make_estimators(bool has_variance) {
  Options of_estimator, of_certificates;
  for (const auto& option : options_.of_estimator) of_estimator.set(option.key, option.value);
  epistemic_ = make_estimator(options_.estimator, of_estimator);
  certificates_ = make_estimator("certificates", of_certificates);
  Options of_variance{{"variance", options_.variance}};
  if (has_variance) variance_ = make_estimator("variance_head", of_variance);
}

Judge::Judge(const JudgeOptions& options, const Output& familiar,
             const torch::Tensor& familiar_labels, const Output& held_out,
             const torch::Tensor& held_out_labels)
    : options_(options) {
  make_estimators(held_out.heads.count("variance") != 0);
  epistemic_->fit(familiar, familiar_labels);
  epistemic_scores_ = sorted(epistemic_->score(held_out));
  certificates_->fit(familiar, familiar_labels);
  if (variance_) variance_scores_ = sorted(variance_->score(held_out));
  temperature_ = fit_temperature(held_out.logits, held_out_labels);
  const auto entropy = calibrate(held_out.logits, temperature_).entropy;
  ambiguous_entropy_ = entropy.quantile(options.ambiguous).item<double>();
}

Judge::Judge(const Json& facts, const std::vector<NamedTensor>& tensors) {
  options_.estimator = facts.at("estimator").get<std::string>();
  options_.variance = facts.at("variance_head").get<std::string>();
  options_.ambiguous = find_share(facts, "ambiguous");
  options_.unfamiliar = find_share(facts, "unfamiliar");
  options_.sure = find_share(facts, "sure");
  for (const auto& [key, value] : facts.at("options").items())
    options_.of_estimator.push_back({key, value.get<std::string>(), "", "", false});
  temperature_ = facts.at("temperature").get<double>();
  ambiguous_entropy_ = facts.at("ambiguous_entropy").get<double>();
  if (!(temperature_ > 0) || !std::isfinite(temperature_))
    fail("the model's temperature is ", temperature_,
         ": expected more than 0, and finite; penumbra certify fits it anew");
  if (!std::isfinite(ambiguous_entropy_))
    fail("the model's 'ambiguous_entropy' is ", ambiguous_entropy_,
         ": expected a number; penumbra certify fits it anew");
  make_estimators(facts.at("has_variance").get<bool>());
  epistemic_->load(below("estimator.", tensors));
  if (const auto saved = below("certificates.", tensors); saved.empty())
    certificates_.reset();
  else
    certificates_->load(saved);
  epistemic_scores_ = find_sorted(tensors, "epistemic_scores");
  if (variance_) variance_scores_ = find_sorted(tensors, "variance_scores");
}

std::vector<Judgement> Judge::judge(const Output& output) const {
  const torch::NoGradGuard no_gradient;
  const auto said = calibrate(output.logits, temperature_);
  const auto scores = epistemic_->score(output);
  const Values epistemic(scores), percentile(percentiles(epistemic_scores_, scores));
  const auto variances = variance_ ? variance_->score(output) : torch::zeros_like(scores);
  const Values variance(variances),
      aleatoric(variance_ ? percentiles(variance_scores_, variances) : said.entropy);
  auto all = to_judgements(said);
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto& one = all[i];
    one.variance = variance[i];
    one.aleatoric = aleatoric[i];
    one.epistemic = epistemic[i];
    one.epistemic_percentile = percentile[i];
    // Quantiles alone would call nine of ten pictures sure, however bad the model is.
    const bool noisy = !(one.probability >= options_.sure) || one.entropy > ambiguous_entropy_ ||
                       (has_variance() && one.aleatoric > options_.ambiguous);
    one.verdict = one.epistemic_percentile > options_.unfamiliar ? Verdict::kUnfamiliar
                  : noisy                                        ? Verdict::kAmbiguous
                                                                 : Verdict::kSure;
  }
  return all;
}

torch::Tensor Judge::certificate_scores(const Output& output) const {
  if (!certificates_) fail("the model has no certificates: penumbra certify fits them");
  const torch::NoGradGuard no_gradient;
  return certificates_->score(output);
}

Json Judge::facts() const {
  Json of_estimator = Json::object();
  for (const auto& option : options_.of_estimator) of_estimator[option.key] = option.value;
  return {{"estimator", options_.estimator},
          {"options", of_estimator},
          {"variance_head", options_.variance},
          {"has_variance", has_variance()},
          {"temperature", temperature_},
          {"ambiguous", options_.ambiguous},
          {"ambiguous_entropy", ambiguous_entropy_},
          {"unfamiliar", options_.unfamiliar},
          {"sure", options_.sure}};
}

std::vector<NamedTensor> Judge::save() const {
  std::vector<NamedTensor> tensors{{"epistemic_scores", epistemic_scores_}};
  if (has_variance()) tensors.push_back({"variance_scores", variance_scores_});
  append(tensors, "estimator.", epistemic_->save());
  if (certificates_) append(tensors, "certificates.", certificates_->save());
  return tensors;
}

}  // namespace penumbra
