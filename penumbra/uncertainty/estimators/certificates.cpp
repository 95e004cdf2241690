// Orthonormal certificates: directions that are zero on everything familiar, so that what is
// not zero there is a stranger. Tagasovska and Lopez-Paz 2019, https://arxiv.org/abs/1811.00908.
// `trained` takes those that L_UE trained (the paper's own score with normalise=false), `fitted`
// the closed form for the features as they ended up.

#include "penumbra/uncertainty/certificates.h"

#include "penumbra/uncertainty/estimator.h"

namespace penumbra {
namespace {

class Certificates final : public Estimator {
 public:
  explicit Certificates(Options& options) {
    options.read_choice("source", source_, {"fitted", "trained"},
                        "fitted to the features in closed form, or the model's trained head");
    options.read("normalise", normalise_, "features to length one first");
    if (source_ == "fitted")
      options.read("certificates", k_, {0, 65536}, "their number k; 0: d - classes");
  }

  void fit(const Output& familiar, const torch::Tensor&) override {
    if (source_ == "trained") return;
    const auto d = familiar.features.size(1), classes = familiar.logits.size(1);
    const auto k = k_ > 0 ? std::min(k_, d) : std::max<int64_t>(1, d - classes);
    certificates_ = fit_certificates(prepare(familiar.features), k);
  }

  torch::Tensor score(const Output& output) const override {
    if (source_ == "fitted") {
      expect_features(output.features, certificates_.size(1));
      return certificate_scores(prepare(output.features), certificates_);
    }
    const auto head = output.heads.find("certificates");
    if (head == output.heads.end())
      fail(
          "the model has no trained certificates: train with --set method.l_ue=1, or use "
          "source=fitted");
    const auto scores = head->second.square().mean(1);
    return normalise_ ? scores / output.features.square().sum(1).clamp_min(1e-12) : scores;
  }

  std::vector<NamedTensor> save() const override {
    if (source_ == "trained") return {};
    return {{"certificates", certificates_}};
  }
  void load(const std::vector<NamedTensor>& tensors) override {
    if (source_ == "fitted") certificates_ = find_matrix(tensors, "certificates");
  }

 private:
  torch::Tensor prepare(const torch::Tensor& features) const {
    return normalise_ ? unit_features(features) : features;
  }

  std::string source_ = "fitted";
  bool normalise_ = true;
  int64_t k_ = 0;
  torch::Tensor certificates_;  // [k, d]
};

}  // namespace

extern const EstimatorPlugin estimator_certificates =
    plugin<Estimator, Certificates>("directions that are zero on everything familiar");

}  // namespace penumbra
