#include "penumbra/loss/mixup.h"

#include <ATen/ops/_sample_dirichlet.h>

namespace penumbra::loss {

torch::Tensor draw_shares(int64_t n, double alpha, torch::Generator generator) {
  // Two parts of a Dirichlet distribution are a Beta distribution.
  const auto parts = at::_sample_dirichlet(torch::full({n, 2}, alpha), std::move(generator));
  return parts.amax(/*dim=*/1);
}

torch::Tensor mix(const torch::Tensor& a, const torch::Tensor& b, const torch::Tensor& shares) {
  std::vector<int64_t> shape(static_cast<std::size_t>(a.dim()), 1);
  shape[0] = shares.size(0);
  return b.lerp(a, shares.to(a).reshape(shape).expand_as(a));
}

Mixture mix_rows(const torch::Tensor& images, const torch::Tensor& targets, double alpha,
                 torch::Generator generator) {
  const auto rows = images.size(0);
  const auto shares = draw_shares(rows, alpha, generator);
  const auto partner =
      torch::randperm(rows, std::move(generator), torch::kLong).to(images.device());
  return {mix(images, images.index_select(0, partner), shares),
          mix(targets, targets.index_select(0, partner), shares)};
}

}  // namespace penumbra::loss
