// Distance to the k-th nearest familiar image: one minus the cosine between features.
// Sun et al. 2022, https://arxiv.org/abs/2204.06507

#include <faiss/IndexFlat.h>

#include "penumbra/uncertainty/estimator.h"

namespace penumbra {
namespace {

class Knn final : public Estimator {
 public:
  explicit Knn(Options& options) {
    options.read("neighbours", neighbours_, {1, 10000}, "the distance to this one counts (k)");
    options.read("reference", reference_, {1, 1e7}, "familiar images that are kept, evenly chosen");
  }

  void fit(const Output& familiar, const torch::Tensor&) override {
    const auto n = familiar.features.size(0), kept = std::min(n, reference_);
    const auto chosen = torch::arange(kept, torch::kLong).mul_(n).div_(kept, "floor");
    build(unit_features(familiar.features).index_select(0, chosen));
  }

  torch::Tensor score(const Output& output) const override {
    const auto phi = unit_features(output.features).to(torch::kFloat).contiguous();
    expect_features(phi, stored_.size(1));
    const auto n = phi.size(0), k = std::min(neighbours_, stored_.size(0));
    const auto similarity = torch::empty({n, k}, torch::kFloat);
    std::vector<faiss::Index::idx_t> nearest(static_cast<std::size_t>(n * k));
    index_->search(n, phi.data_ptr<float>(), k, similarity.data_ptr<float>(), nearest.data());
    return 1 - similarity.select(1, k - 1);
  }

  std::vector<NamedTensor> save() const override { return {{"features", stored_}}; }
  void load(const std::vector<NamedTensor>& tensors) override {
    build(find_matrix(tensors, "features"));
  }

 private:
  void build(const torch::Tensor& features) {
    stored_ = features.to(torch::kFloat).contiguous();
    index_ = std::make_unique<faiss::IndexFlatIP>(stored_.size(1));
    index_->add(stored_.size(0), stored_.data_ptr<float>());
  }

  int64_t neighbours_ = 10, reference_ = 2000;
  torch::Tensor stored_;  // [kept, d], of length one
  std::unique_ptr<faiss::IndexFlatIP> index_;
};

}  // namespace

extern const EstimatorPlugin estimator_knn =
    plugin<Estimator, Knn>("distance to the k-th nearest familiar image");

}  // namespace penumbra
