// Distance to the nearest class mean, in units of the features' spread within classes:
//   min_c (phi - mu_c)^T Sigma^-1 (phi - mu_c), Sigma shared by all classes.
// Lee et al. 2018, https://arxiv.org/abs/1807.03888. An image without a label counts for the class
// that the model predicts.

#include "penumbra/data/images.h"
#include "penumbra/uncertainty/estimator.h"

namespace penumbra {
namespace {

class Mahalanobis final : public Estimator {
 public:
  explicit Mahalanobis(Options& options) {
    options.read("normalise", normalise_, "features to length one first");
    options.read("ridge", ridge_, {0, 1}, "added to Sigma, as a share of its mean variance");
  }

  void fit(const Output& familiar, const torch::Tensor& labels) override {
    const auto phi = prepare(familiar.features);
    const auto classes = familiar.logits.size(1), d = phi.size(1);
    const auto label = torch::where(labels == kUnlabelled, familiar.logits.argmax(1), labels);
    const auto members = torch::one_hot(label, classes).to(torch::kDouble);  // [N, classes]
    const auto count = members.sum(0).clamp_min(1).unsqueeze(1);
    const auto means = members.t().matmul(phi) / count;
    const auto centred = phi - means.index_select(0, label);
    auto sigma = centred.t().matmul(centred) / static_cast<double>(phi.size(0));
    sigma += torch::eye(d, sigma.options()) * (ridge_ * sigma.diagonal().mean() + 1e-12);
    // |whiten (phi - mu)|^2 is the distance: Sigma^-1 = L^-T L^-1.
    const auto lower = torch::linalg_cholesky(sigma);
    const auto whiten = torch::linalg_solve_triangular(lower, torch::eye(d, sigma.options()),
                                                       /*upper=*/false);
    whiten_ = whiten.to(torch::kFloat);
    centres_ = means.matmul(whiten.t()).to(torch::kFloat);
  }

  torch::Tensor score(const Output& output) const override {
    expect_features(output.features, whiten_.size(1));
    const auto phi = prepare(output.features).to(torch::kFloat).matmul(whiten_.t());
    return torch::cdist(phi, centres_).square().amin(1);
  }

  std::vector<NamedTensor> save() const override {
    return {{"whiten", whiten_}, {"centres", centres_}};
  }
  void load(const std::vector<NamedTensor>& tensors) override {
    whiten_ = find_matrix(tensors, "whiten");
    centres_ = find_matrix(tensors, "centres");
    expect_features(centres_, whiten_.size(0));
  }

 private:
  torch::Tensor prepare(const torch::Tensor& features) const {
    const auto phi = features.to(torch::kDouble);
    return normalise_ ? unit_features(phi) : phi;
  }

  bool normalise_ = true;
  double ridge_ = 1e-3;
  torch::Tensor whiten_;   // [d, d]
  torch::Tensor centres_;  // [classes, d], whitened means
};

}  // namespace

extern const EstimatorPlugin estimator_mahalanobis =
    plugin<Estimator, Mahalanobis>("distance to the nearest class mean");

}  // namespace penumbra
