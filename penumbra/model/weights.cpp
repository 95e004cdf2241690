#include "penumbra/model/weights.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/torch.h>

#include <cmath>

namespace penumbra {

torch::Generator make_generator(uint64_t seed) {
  return at::make_generator<at::CPUGeneratorImpl>(seed);
}

GlobalGeneratorScope::GlobalGeneratorScope()
    : generator_(at::detail::getDefaultCPUGenerator()), state_(generator_.get_state()) {}

GlobalGeneratorScope::~GlobalGeneratorScope() { generator_.set_state(state_); }

void draw_weights(torch::nn::Module& module, torch::Generator generator) {
  const torch::NoGradGuard no_grad;
  const auto clear = [](torch::Tensor& bias) {
    if (bias.defined()) bias.zero_();
  };
  for (const auto& layer : module.modules()) {
    if (auto* convolution = layer->as<torch::nn::Conv2d>()) {
      auto& weight = convolution->weight;  // [out, in, height, width]
      const auto fan_out = static_cast<double>(weight.size(0) * weight.size(2) * weight.size(3));
      weight.normal_(0, std::sqrt(2 / fan_out), generator);
      clear(convolution->bias);
    } else if (auto* linear = layer->as<torch::nn::Linear>()) {
      auto& weight = linear->weight;  // [out, in]
      const auto fan = static_cast<double>(weight.size(0) + weight.size(1));
      weight.normal_(0, std::sqrt(2 / fan), generator);
      clear(linear->bias);
    } else if (auto* norm = layer->as<torch::nn::BatchNorm2d>()) {
      norm->reset_running_stats();
      norm->weight.fill_(1);
      norm->bias.zero_();
    }
  }
}

torch::Tensor draw_orthogonal(int64_t rows, int64_t columns, torch::Generator generator) {
  const torch::NoGradGuard no_grad;
  const auto normal = torch::empty({std::max(rows, columns), std::min(rows, columns)})
                          .normal_(0, 1, std::move(generator));
  const auto [q, r] = torch::linalg_qr(normal);
  // LAPACK's signs follow the algorithm, not the distribution.
  const auto even = q * r.diagonal().sign();
  return (rows < columns ? even.t() : even).contiguous();
}

}  // namespace penumbra
