#include "penumbra/model/norm_activation.h"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "penumbra/model/kernels.h"
#include "penumbra/model/norm_loops.h"

namespace penumbra {
namespace {

// Rows are places (N H W of them), columns are channels. Sums are taken piece by piece, always the
// same pieces, so that they do not depend on the number of threads.
constexpr int64_t kRowsOfPiece = 512;

struct Places {
  int64_t rows, channels;
  int64_t pieces() const { return (rows + kRowsOfPiece - 1) / kRowsOfPiece; }
};

// Calls work(piece, its number) for every piece of `all`, on all threads.
template <class T, class Work>
void for_each_piece(const Piece<T>& all, const Work& work) {
  const Places places{all.rows, all.channels};
  at::parallel_for(0, places.pieces(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t number = begin; number < end; ++number) {
      const auto first = number * kRowsOfPiece, offset = first * all.channels;
      auto piece = all;
      piece.rows = std::min(kRowsOfPiece, all.rows - first);
      piece.maps += offset;
      if (all.gradients != nullptr) piece.gradients += offset;
      if (all.out != nullptr) piece.out += offset;
      work(piece, number);
    }
  });
}

struct Sums {
  std::vector<double> sums, products;  // [C]
};

// What `add` adds up over all pieces.
template <class T, class Add>
Sums sum_pieces(const Piece<T>& all, const Add& add) {
  const auto channels = static_cast<std::size_t>(all.channels);
  const auto pieces = static_cast<std::size_t>(Places{all.rows, all.channels}.pieces());
  std::vector<float> partial(pieces * 2 * channels, 0.0F);
  for_each_piece(all, [&](Piece<T> piece, int64_t number) {
    piece.sums = partial.data() + static_cast<std::size_t>(number) * 2 * channels;
    piece.products = piece.sums + channels;
    add(piece);
  });
  Sums total{std::vector<double>(channels), std::vector<double>(channels)};
  for (std::size_t i = 0; i < pieces; ++i)
    for (std::size_t c = 0; c < channels; ++c) {
      total.sums[c] += partial[2 * i * channels + c];
      total.products[c] += partial[(2 * i + 1) * channels + c];
    }
  return total;
}

// The maps as one piece.
template <class T>
Piece<T> piece_of(const torch::Tensor& maps) {
  Piece<T> piece{};
  piece.maps = static_cast<const T*>(maps.data_ptr());
  piece.channels = maps.size(1);
  piece.rows = maps.numel() / piece.channels;
  return piece;
}

struct Moments {
  torch::Tensor mean, variance;  // [C] float; the variance divides by the number of rows
};

template <class T>
Moments moments_of(const torch::Tensor& maps) {
  const auto all = piece_of<T>(maps);
  const auto total = sum_pieces(all, [](const Piece<T>& piece) { add_moments(piece); });
  Moments moments{torch::empty({all.channels}), torch::empty({all.channels})};
  const auto n = static_cast<double>(all.rows);
  for (std::size_t c = 0; c < total.sums.size(); ++c) {
    const double mean = total.sums[c] / n;
    moments.mean.data_ptr<float>()[c] = static_cast<float>(mean);
    moments.variance.data_ptr<float>()[c] =
        static_cast<float>(std::max(0.0, total.products[c] / n - mean * mean));
  }
  return moments;
}

// What turns x into z for each channel.
struct Line {
  torch::Tensor scale, shift;  // [C] float
};
Line line_of(const torch::Tensor& mean, const torch::Tensor& inverse, const torch::Tensor& weight,
             const torch::Tensor& bias) {
  const auto scale = weight.defined() ? inverse * weight : inverse;
  const auto shift = -mean * scale;
  return {scale.contiguous(), (bias.defined() ? shift + bias : shift).contiguous()};
}

template <class T>
torch::Tensor outputs_of(const torch::Tensor& maps, const Line& line, double slope) {
  auto out = torch::empty_like(maps, torch::MemoryFormat::ChannelsLast);
  auto all = piece_of<T>(maps);
  all.out = static_cast<T*>(out.data_ptr());
  all.scale = line.scale.data_ptr<float>();
  all.shift = line.shift.data_ptr<float>();
  all.slope = static_cast<float>(slope);
  for_each_piece(all, [](const Piece<T>& piece, int64_t) { write_outputs(piece); });
  return out;
}

torch::Tensor outputs_of(const torch::Tensor& maps, const Line& line, double slope) {
  return maps.scalar_type() == torch::kFloat ? outputs_of<float>(maps, line, slope)
                                             : outputs_of<Bfloat>(maps, line, slope);
}

struct Gradients {
  torch::Tensor maps, weight, bias;
};

template <class T>
Gradients gradients_of(const torch::Tensor& maps, const torch::Tensor& gradient, const Line& line,
                       const torch::Tensor& mean, const torch::Tensor& inverse, double slope) {
  auto all = piece_of<T>(maps);
  all.gradients = static_cast<const T*>(gradient.data_ptr());
  all.scale = line.scale.data_ptr<float>();
  all.shift = line.shift.data_ptr<float>();
  all.mean = mean.data_ptr<float>();
  all.slope = static_cast<float>(slope);
  const auto total = sum_pieces(all, [](const Piece<T>& piece) { add_gradients(piece); });

  Gradients made{torch::empty_like(maps, torch::MemoryFormat::ChannelsLast),
                 torch::empty({all.channels}), torch::empty({all.channels})};
  std::vector<float> linear(total.sums.size()), constant(total.sums.size());
  const auto n = static_cast<double>(all.rows);
  for (std::size_t c = 0; c < linear.size(); ++c) {
    const double scale = all.scale[c], inv = inverse.data_ptr<float>()[c];
    made.weight.data_ptr<float>()[c] = static_cast<float>(total.products[c] * inv);
    made.bias.data_ptr<float>()[c] = static_cast<float>(total.sums[c]);
    const double slope_of_x = -scale * inv * inv * total.products[c] / n;
    linear[c] = static_cast<float>(slope_of_x);
    constant[c] = static_cast<float>(-scale * total.sums[c] / n - slope_of_x * all.mean[c]);
  }
  all.linear = linear.data();
  all.constant = constant.data();
  all.out = static_cast<T*>(made.maps.data_ptr());
  for_each_piece(all, [](const Piece<T>& piece, int64_t) { write_gradients(piece); });
  return made;
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class NormActivation : public torch::autograd::Function<NormActivation> {
 public:
  using MaybeTensor = c10::optional<torch::Tensor>;  // undefined ones are no inputs to autograd

  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& maps,
                               const MaybeTensor& weight, const MaybeTensor& bias,
                               const torch::Tensor& mean, const torch::Tensor& inverse,
                               double slope) {
    const auto line =
        line_of(mean, inverse, weight.value_or(torch::Tensor()), bias.value_or(torch::Tensor()));
    context->save_for_backward({maps, line.scale, line.shift, mean, inverse});
    context->saved_data["slope"] = slope;
    context->saved_data["weight"] = weight.has_value();
    context->saved_data["bias"] = bias.has_value();
    return outputs_of(maps, line, slope);
  }

  // Statistics are the batch's own, so that their gradient is part of the maps'.
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    TORCH_CHECK(!torch::GradMode::is_enabled(), "batch norm by own kernels has no second gradient");
    const auto saved = context->get_saved_variables();
    const auto &maps = saved[0], &mean = saved[3], &inverse = saved[4];
    const Line line{saved[1], saved[2]};
    const double slope = context->saved_data["slope"].toDouble();
    const auto gradient =
        gradients[0].to(maps.scalar_type()).contiguous(torch::MemoryFormat::ChannelsLast);
    const auto made = maps.scalar_type() == torch::kFloat
                          ? gradients_of<float>(maps, gradient, line, mean, inverse, slope)
                          : gradients_of<Bfloat>(maps, gradient, line, mean, inverse, slope);
    const auto wanted = [&](const char* name, const torch::Tensor& tensor) {
      return context->saved_data[name].toBool() ? tensor : torch::Tensor();
    };
    return {made.maps, wanted("weight", made.weight), wanted("bias", made.bias), {}, {}, {}};
  }
};

bool can_be_one(const torch::Tensor& maps, const Norm& norm) {
  const auto type = maps.scalar_type();
  const bool known = (type == torch::kFloat || type == torch::kBFloat16) &&
                     norm.running_mean.scalar_type() == torch::kFloat;
  const bool gradient = torch::GradMode::is_enabled() && maps.requires_grad();
  return kernels_now() == Kernels::kOwn && maps.device().is_cpu() && maps.dim() == 4 && known &&
         maps.numel() > 0 && maps.is_contiguous(torch::MemoryFormat::ChannelsLast) &&
         (norm.training || !gradient);
}

}  // namespace

torch::Tensor norm_activation(const torch::Tensor& maps, const Norm& norm, double slope) {
  if (!can_be_one(maps, norm)) {
    // One value of each channel has no variance: libtorch would let the running one become 0 / 0.
    const bool single = norm.training && maps.numel() == maps.size(1);
    auto variance = norm.running_var;
    if (single) variance = variance.clone();
    auto normed =
        torch::batch_norm(maps, norm.weight, norm.bias, norm.running_mean, variance, norm.training,
                          norm.momentum, norm.epsilon, /*cudnn_enabled=*/true);
    if (single) norm.running_var.mul_(1 - norm.momentum);
    // In place: no gradient needs its input.
    return slope == 1 ? normed : torch::leaky_relu_(normed, slope);
  }
  if (!norm.training && !torch::GradMode::is_enabled()) {
    const auto activation = activation_of(norm, slope);
    return outputs_of(maps, {activation.scale, activation.shift}, slope);
  }
  torch::Tensor mean, inverse;
  {
    const torch::NoGradGuard no_gradient;
    auto variance = norm.running_var;
    mean = norm.running_mean;
    if (norm.training) {
      const auto seen = maps.detach();
      const auto moments =
          seen.scalar_type() == torch::kFloat ? moments_of<float>(seen) : moments_of<Bfloat>(seen);
      const auto places = maps.numel() / maps.size(1);
      const auto rows = static_cast<double>(places);
      // Running variances are those of the population, as libtorch has it.
      norm.running_mean.mul_(1 - norm.momentum).add_(moments.mean, norm.momentum);
      norm.running_var.mul_(1 - norm.momentum)
          .add_(moments.variance, norm.momentum * rows / std::max(1.0, rows - 1));
      mean = moments.mean;
      variance = moments.variance;
    }
    inverse = (variance + norm.epsilon).rsqrt();
  }
  const auto maybe = [](const torch::Tensor& tensor) {
    return tensor.defined() ? c10::optional<torch::Tensor>(tensor) : c10::nullopt;
  };
  return NormActivation::apply(maps, maybe(norm.weight), maybe(norm.bias), mean, inverse, slope);
}

// One loop: for a single picture the six small operations of libtorch in its place would take a
// good part of the time of its maps.
Activation activation_of(const Norm& norm, double slope) {
  const auto channels = norm.running_mean.size(0);
  const auto values = [](const torch::Tensor& tensor) {
    return tensor.defined() ? tensor.data_ptr<float>() : nullptr;
  };
  const float *mean = values(norm.running_mean), *variance = values(norm.running_var);
  const float *weight = values(norm.weight), *bias = values(norm.bias);
  Activation made{torch::empty({channels}), torch::empty({channels}), slope};
  float *scale = values(made.scale), *shift = values(made.shift);
  for (int64_t c = 0; c < channels; ++c) {
    scale[c] = 1 / std::sqrt(variance[c] + static_cast<float>(norm.epsilon));
    if (weight != nullptr) scale[c] *= weight[c];
    shift[c] = -mean[c] * scale[c];
    if (bias != nullptr) shift[c] += bias[c];
  }
  return made;
}

}  // namespace penumbra
