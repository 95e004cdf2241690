#include "penumbra/train/muon.h"

#include <ATen/autocast_mode.h>

namespace penumbra {
namespace {

constexpr int kKernelDimensions = 4;

// Rows are filters; a view of weights in channels_last, as they are kept.
torch::Tensor rows_of(const torch::Tensor& kernel) {
  return kernel.permute({0, 2, 3, 1}).flatten(1);
}

// v <- m v + g;  o = orthogonal(g + m v);  w <- |w| (w / |w| - lr o / |o|), made as long as before
void move(torch::Tensor& kernel, torch::Tensor& velocity, double lr, double momentum) {
  const auto& gradient = kernel.grad();
  velocity.mul_(momentum).add_(gradient);
  const auto step = nearly_orthogonal(rows_of(torch::add(gradient, velocity, momentum)));
  const auto length = kernel.norm();
  const auto sizes = kernel.sizes();
  const auto share = lr * length / step.norm().clamp_min(1e-12);
  kernel.sub_(step.view({sizes[0], sizes[2], sizes[3], sizes[1]}).permute({0, 3, 1, 2}),
              share.item());
  kernel.mul_(length / kernel.norm().clamp_min(1e-12));
}

}  // namespace

// X <- (a + b A + c A^2) X with A = X X^T, three times from X = matrix / |matrix|. Every factor is
// a polynomial of the first A, so they are multiplied up as small square matrices, which takes half
// the arithmetic; the long matrix is multiplied once, and |matrix|^2 is the trace of its square.
torch::Tensor nearly_orthogonal(const torch::Tensor& matrix) {
  const double a = 3.4445, b = -4.7750, c = 2.0315;
  constexpr int kSteps = 3;
  const bool tall = matrix.size(0) > matrix.size(1);
  const auto type = matrix.scalar_type();
  // Once: autocast would do it for every product.
  const auto x =
      (tall ? matrix.t() : matrix).to(at::autocast::is_cpu_enabled() ? torch::kBFloat16 : type);
  auto square = x.matmul(x.t());
  const auto size = square.diagonal().to(type).sum().clamp_min(1e-24);
  square = square / size;  // A
  torch::Tensor product;
  for (int i = 0; i < kSteps; ++i) {
    const auto factor = torch::addmm(square, square, square, b, c);
    factor.diagonal().add_(a);
    product = i == 0 ? factor : factor.matmul(product);
    if (i + 1 < kSteps) square = factor.matmul(square).matmul(factor);
  }
  const auto result = (product / size.sqrt()).matmul(x).to(type);
  return tall ? result.t() : result;
}

torch::Tensor Muon::step(LossClosure closure) {
  const torch::NoGradGuard no_gradient;
  for (auto& group : param_groups()) {
    const auto& options = static_cast<const torch::optim::SGDOptions&>(group.options());
    for (auto& weight : group.params()) {
      if (weight.dim() != kKernelDimensions || !weight.grad().defined()) continue;
      auto& kept = state()[state_key(weight)];
      if (!kept) {
        auto start = std::make_unique<torch::optim::SGDParamState>();
        start->momentum_buffer(torch::zeros_like(weight));
        kept = std::move(start);
      }
      auto velocity = static_cast<torch::optim::SGDParamState&>(*kept).momentum_buffer();
      move(weight, velocity, options.lr(), options.momentum());
      weight.mutable_grad().reset();
    }
  }
  return SGD::step(std::move(closure));
}

}  // namespace penumbra
