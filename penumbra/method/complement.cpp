#include "penumbra/method/complement.h"

#include <algorithm>

#include "penumbra/core/error.h"
#include "penumbra/loss/gaussian.h"
#include "penumbra/loss/ramp.h"

namespace penumbra {
namespace {

loss::OrthogonalityNorm norm_of(const std::string& name) {
  if (name == "fro") return loss::OrthogonalityNorm::kFrobenius;
  return name == "mean_sq" ? loss::OrthogonalityNorm::kMeanSquare
                           : loss::OrthogonalityNorm::kSquaredFrobenius;
}

torch::Tensor apply(const HeadWeights& head, const torch::Tensor& features) {
  return torch::linear(features, head.weight, head.bias);
}

class Complemented final : public Method {
 public:
  Complemented(std::unique_ptr<Method> method, AleatoricOptions aleatoric,
               EpistemicOptions epistemic, double start)
      : method_(std::move(method)),
        aleatoric_(std::move(aleatoric)),
        epistemic_(std::move(epistemic)),
        start_(start) {}

  Views views() const override { return method_->views(); }
  void meet(const Pool& pool) override { method_->meet(pool); }
  std::vector<double> surveys() const override { return method_->surveys(); }
  void see(const Survey& survey) override { method_->see(survey); }
  bool surveys_mirror_images() const override { return method_->surveys_mirror_images(); }
  std::vector<double> phases() const override { return method_->phases(); }
  std::vector<NamedTensor> save() const override { return method_->save(); }
  void load(const std::vector<NamedTensor>& state) override { method_->load(state); }

  std::vector<HeadSpec> heads(int64_t features, int64_t classes) const override {
    auto all = method_->heads(features, classes);
    if (aleatoric_.has_head()) {
      HeadSpec variance;
      variance.name = "variance";
      variance.outputs = classes;
      variance.bias_value = aleatoric_.bias;
      variance.start = HeadSpec::Start::kZero;
      variance.weight_decay = aleatoric_.decays;
      all.push_back(variance);
    }
    if (epistemic_.weight > 0) {
      HeadSpec certificates;
      certificates.name = "certificates";
      const auto k = epistemic_.certificates;
      if (k > features)
        fail("method.certificates = ", k, ": expected at most ", features,
             ", the number of features, since they are to be orthogonal");
      certificates.outputs = k > 0 ? k : certificate_count(features, classes);
      certificates.bias = false;
      certificates.start = HeadSpec::Start::kOrthogonal;
      certificates.weight_decay = epistemic_.decays;
      all.push_back(certificates);
    }
    return all;
  }

  Step step(const Forward& student, const Forward& teacher, const Batch& batch) override {
    auto step = method_->step(student, teacher, batch);
    if (aleatoric_.weight > 0 && step.evidence.targets.defined()) {
      const double progress = (batch.progress - start_) / (1 - start_);
      const double ramp = loss::linear_ramp(progress, aleatoric_.ramp_up);
      add_aleatoric(step, student, ramp);
    }
    if (epistemic_.weight > 0) add_epistemic(step, student);
    return step;
  }

 private:
  // L_UA = mean over strong views i of m_i * mean over classes j of l(q_ij - p_ij, u_ij)
  void add_aleatoric(Step& step, const Forward& student, double ramp) const {
    const auto& seen = step.evidence;
    TORCH_CHECK(seen.targets.defined(), "the method has no soft targets for L_UA");
    const auto said =
        aleatoric_.residual == "logits" ? seen.strong_logits : seen.strong_logits.softmax(1);
    const auto residual = seen.targets - said;  // [N, classes]
    auto weights = seen.mask;                   // [N]
    torch::Tensor each;
    if (aleatoric_.has_head()) {
      const auto features =
          aleatoric_.reaches_features ? seen.strong_features : seen.strong_features.detach();
      const auto head = apply(student.head("variance"), features);
      // Where no target is trusted the head still learns how wide the residuals are there; the
      // prediction learns nothing.
      const bool all = aleatoric_.samples == "all";
      const auto kept = seen.mask.unsqueeze(1) > 0;
      const auto learnt = all ? torch::where(kept, residual, residual.detach()) : residual;
      if (all)
        weights = seen.familiar.defined() ? seen.familiar.to(weights) : torch::ones_like(weights);
      if (aleatoric_.variance == "log") {
        const auto log_variance = loss::log_variance_of(head);
        each = loss::beta_nll(learnt, log_variance, aleatoric_.beta);
        step.report["variance/mean"] = log_variance.detach().exp().mean().item<double>();
      } else {
        const auto u = head.sigmoid();
        each = loss::gaussian_nll(learnt, u);
        step.report["variance/mean_u"] = u.detach().mean().item<double>();
      }
    } else {
      each = aleatoric_.loss == "mse" ? residual.square() : loss::half_squared(residual);
    }
    auto value = loss::weighted_mean(each, weights, aleatoric_.reduce == "sum");
    if (aleatoric_.normaliser == "kept") value = value / weights.mean().clamp_min(1e-6);
    step.report["loss/aleatoric"] = value.item<double>();
    step.loss = step.loss + ramp * aleatoric_.weight * value;
  }

  // L_UE = mean over images and certificates of (C^T phi)^2 + lambda ||C^T C - I||
  void add_epistemic(Step& step, const Forward& student) const {
    const auto& seen = step.evidence;
    // Views that were skipped are rows of zeros, which would dilute the mean. A supervised start
    // has no strong views at all.
    auto strong = seen.strong_features;
    if (strong.defined() && method_->defaults().skips)
      strong = strong.index({seen.mask > 0});
    else if (seen.familiar.defined())
      strong = strong.index({seen.familiar});
    std::vector<torch::Tensor> parts;
    if (epistemic_.samples != "strong") parts.push_back(seen.labelled_features);
    if (epistemic_.samples != "labelled" && strong.defined() && strong.size(0) > 0)
      parts.push_back(strong);
    const auto certificates = student.head("certificates");
    const auto penalty = loss::orthogonality(certificates.weight, norm_of(epistemic_.norm));
    auto value = epistemic_.lambda * penalty;
    if (!parts.empty()) {
      auto features = torch::cat(parts);
      if (!epistemic_.reaches_features) features = features.detach();
      const auto outputs = apply(certificates, features);
      value = value +
              (epistemic_.loss == "l1" ? outputs.abs().mean() : loss::certificate_loss(outputs));
    }
    step.report["loss/epistemic"] = value.item<double>();
    step.report["certificates/orthogonality"] = penalty.item<double>();
    step.report["certificates/length"] =
        certificates.weight.detach().square().sum(1).mean().item<double>();
    step.loss = step.loss + epistemic_.weight * value;
  }

  std::unique_ptr<Method> method_;
  AleatoricOptions aleatoric_;
  EpistemicOptions epistemic_;
  double start_;  // share of the run that sees labelled images alone
};

}  // namespace

void AleatoricOptions::read(Options& options) {
  options.read("l_ua", weight, {0, 1e6},
               "weight of the aleatoric loss L_UA (the paper's alpha_UA); 0: without");
  if (weight == 0) return;
  options.read_choice("ua_loss", loss, {"nll", "half_mse", "mse"},
                      "of a residual: its likelihood under the predicted variance, or its square");
  if (loss == "nll")
    options.read_choice(
        "variance", variance, {"paper", "log", "none"},
        "paper: exp(2 sigmoid(head)); log: exp(head), which carries information and "
        "has variance_beta (0 to 1, default 1); none: 1");
  options.read_choice("residual", residual, {"probabilities", "logits"},
                      "what of the strong view is compared with the soft label");
  options.read_choice("ua_reduce", reduce, {"mean", "sum"}, "over classes");
  options.read_choice("ua_normaliser", normaliser, {"all", "kept"},
                      "divide by all strong views, or by those that the mask keeps");
  options.read("ua_ramp_up", ramp_up, {0, 1},
               "share of the run, after its start, over which l_ua rises from 0; 0: at once");
  if (!has_head()) return;
  if (variance == "log") {
    samples = "all";
    options.read("variance_beta", beta, {0, 1},
                 "of variance=log: 0 is the likelihood, 1 gives predictions half a squared error");
  }
  options.read_choice("variance_samples", samples, {"masked", "all"},
                      "strong views that the variance learns from; all with variance=log");
  options.read("variance_grad_features", reaches_features,
               "the variance's gradient reaches the features");
  options.read("variance_bias", bias, {-20, 20}, "of the variance's layer, at the start");
  options.read("variance_decay", decays, "the variance's layer decays with the other weights");
  if (normaliser == "kept" && samples == "all")
    fail(
        "ua_normaliser = kept divides by the strong views that the mask keeps, variance_samples = "
        "all learns from every one: expected --set method.variance_samples=masked with it");
}

void EpistemicOptions::read(Options& options) {
  options.read("l_ue", weight, {0, 1e6},
               "weight of the epistemic loss L_UE (the paper's alpha_UE); 0: without");
  if (weight == 0) return;
  options.read("lambda", lambda, {0, 1e6}, "of the penalty that keeps certificates orthonormal");
  options.read("certificates", certificates, {0, 65536},
               "their number k; 0: max(1, min(100, d/2, d - classes)) for d features");
  options.read_choice("ortho_norm", norm, {"fro2", "fro", "mean_sq"},
                      "of C^T C - I: squared Frobenius, Frobenius, mean of squares");
  options.read_choice("certificate_loss", loss, {"mse", "l1"}, "of the certificates' outputs");
  options.read_choice("ue_samples", samples, {"all", "labelled", "strong"},
                      "views that certificates see: labelled and strong, or one of them");
  options.read("ue_grad_features", reaches_features,
               "the certificates' gradient reaches the features");
  options.read("certificate_decay", decays, "certificates decay with the other weights");
}

int64_t certificate_count(int64_t features, int64_t classes) {
  return std::max<int64_t>(1, std::min({int64_t{100}, features / 2, features - classes}));
}

std::unique_ptr<Method> complement(std::unique_ptr<Method> method,
                                   const AleatoricOptions& aleatoric,
                                   const EpistemicOptions& epistemic, double start) {
  if (aleatoric.weight == 0 && epistemic.weight == 0) return method;
  return std::make_unique<Complemented>(std::move(method), aleatoric, epistemic, start);
}

}  // namespace penumbra
