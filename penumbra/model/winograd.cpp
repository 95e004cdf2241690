#include "penumbra/model/winograd.h"

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "penumbra/model/kernels.h"
#include "penumbra/model/winograd_sharing.h"

namespace penumbra {
namespace {

constexpr auto kLast = torch::MemoryFormat::ChannelsLast;
constexpr const char* kNoSecondGradient = "convolutions by own kernels have no second gradient";

TiledMaps tiled(const torch::Tensor& maps, int64_t out) {
  return {maps.size(0), maps.size(2), maps.size(3), maps.size(1), out};
}

template <class Element>
torch::Tensor empty_maps(const TiledMaps& shape, int64_t shrunk = 1) {
  return torch::empty({shape.images, shape.out, shape.height / shrunk, shape.width / shrunk},
                      torch::TensorOptions().dtype(kType<Element>).memory_format(kLast));
}

constexpr int64_t kChannelsAtOnce = 8;

// Calls work(first, last) for all input channels, which come in multiples of eight.
template <class Work>
void for_all_inputs(int64_t in, const Work& work) {
  at::parallel_for(0, in / kChannelsAtOnce, 1, [&](int64_t begin, int64_t end) {
    work(begin * kChannelsAtOnce, end * kChannelsAtOnce);
  });
}

// [3, 3, in, out] -> [36, point_step(in, out)]
template <class Element>
torch::Tensor points_of(const torch::Tensor& weights) {
  const auto in = weights.size(2), out = weights.size(3);
  auto made = torch::empty({kPoints, point_step(in, out)}, kType<Element>);
  for_all_inputs(in, [&](int64_t first, int64_t last) {
    loops_for<Element>(in, out).weights(weights.data_ptr<float>(), in, out, first, last,
                                        values_of<Element>(made));
  });
  return made;
}

// Of the kernel turned by half a circle: outputs reach an input through that.
template <class Element>
torch::Tensor backward_points(const torch::Tensor& weight) {
  return points_of<Element>(weight.flip({2, 3}).permute({2, 3, 0, 1}).contiguous());
}

Finish finish_of(const Activation& activation) {
  if (!activation.scale.defined()) return {};
  return {activation.scale.data_ptr<float>(), activation.shift.data_ptr<float>(),
          static_cast<float>(activation.slope)};
}

// points: [36, point_step(in, out)]
template <class Element>
torch::Tensor convolve(const torch::Tensor& maps, const torch::Tensor& points,
                       const Activation& activation = {}) {
  const auto shape = tiled(maps, outputs_of_step(points.size(1), maps.size(1)));
  const auto finish = finish_of(activation);
  auto made = empty_maps<Element>(shape);
  const auto *in = values_of<Element>(maps), *weights = values_of<Element>(points);
  auto* out = values_of<Element>(made);
  for_all_outputs<Element>(
      shape, [&](const TiledMaps& part, int64_t first, TileRange range, float* scratch) {
        loops_for<Element>(shape).convolve(in, weights + first * shape.in, out + first,
                                           finish.from(first), part, range, scratch);
      });
  return made;
}

// The same, pooled, and with the places of what was kept where `places` is to hold them.
template <class Element>
torch::Tensor convolve_pooled(const torch::Tensor& maps, const torch::Tensor& points,
                              torch::Tensor* places, const Activation& activation = {}) {
  const auto shape = tiled(maps, outputs_of_step(points.size(1), maps.size(1)));
  const auto finish = finish_of(activation);
  auto made = empty_maps<Element>(shape, 2);
  if (places != nullptr) *places = torch::empty_like(made, torch::kByte);
  const auto *in = values_of<Element>(maps), *weights = values_of<Element>(points);
  auto* out = values_of<Element>(made);
  auto* at = places != nullptr ? places->data_ptr<uint8_t>() : nullptr;
  for_all_outputs<Element>(
      shape, [&](const TiledMaps& part, int64_t first, TileRange range, float* scratch) {
        loops_for<Element>(shape).convolve_pooled(
            in, weights + first * shape.in, out + first, finish.from(first),
            at != nullptr ? at + first : nullptr, part, range, scratch);
      });
  return made;
}

// [out, in, 3, 3]; add(range, sums, scratch) adds what some tiles say.
template <class Element, class Add>
torch::Tensor weight_gradient(const TiledMaps& shape, const Add& add) {
  // Every thread has sums of its own; which tiles are whose depends on their number alone. Tiles
  // may be added up in pairs.
  const auto threads = std::clamp<int64_t>(shape.tiles() / 6, 1, at::get_num_threads());
  const auto begin_of = [&](int64_t thread) {
    return thread == threads ? shape.tiles() : shape.tiles() * thread / threads / 2 * 2;
  };
  const auto step = kPoints * point_step(shape.in, shape.out);
  auto sums = torch::empty({threads, step});
  at::parallel_for(0, threads, 1, [&](int64_t begin, int64_t end) {
    for (auto thread = begin; thread < end; ++thread) {
      const auto first = begin_of(thread), next = begin_of(thread + 1);
      auto* own = sums.data_ptr<float>() + thread * step;
      for_each_range<Element>(shape, {first, next - first}, [&](TileRange range, float* scratch) {
        add(range, PointSums{own, range.first != first}, scratch);
      });
    }
  });
  auto made = torch::empty({3, 3, shape.in, shape.out});
  for_all_inputs(shape.in, [&](int64_t first, int64_t last) {
    loops_for<Element>(shape).weight_gradients(sums.data_ptr<float>(), threads, shape.in, shape.out,
                                               first, last, made.data_ptr<float>());
  });
  return made.permute({3, 2, 0, 1});
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Of maps that are elements.
template <class Element>
class Winograd : public torch::autograd::Function<Winograd<Element>> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& maps,
                               const torch::Tensor& weight) {
    context->save_for_backward({maps, weight});
    return convolve<Element>(maps, winograd_points(weight, kType<Element>));
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    TORCH_CHECK(!torch::GradMode::is_enabled(), kNoSecondGradient);
    const auto saved = context->get_saved_variables();
    const auto &maps = saved[0], &weight = saved[1];
    const auto gradient = gradients[0].contiguous(kLast);
    variable_list made(2);
    if (context->needs_input_grad(0))
      made[0] = convolve<Element>(gradient, backward_points<Element>(weight));
    if (context->needs_input_grad(1)) {
      const auto shape = tiled(maps, weight.size(0));
      const auto add = [&](TileRange range, PointSums sums, float* scratch) {
        loops_for<Element>(shape).add_gradients(
            values_of<Element>(maps), values_of<Element>(gradient), sums, shape, range, scratch);
      };
      made[1] = weight_gradient<Element>(shape, add).contiguous(weight.suggest_memory_format());
    }
    return made;
  }
};

template <class Element>
class PooledWinograd : public torch::autograd::Function<PooledWinograd<Element>> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& maps,
                               const torch::Tensor& weight) {
    torch::Tensor places;
    const auto made =
        convolve_pooled<Element>(maps, winograd_points(weight, kType<Element>), &places);
    context->save_for_backward({maps, weight, places});
    return made;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    TORCH_CHECK(!torch::GradMode::is_enabled(), kNoSecondGradient);
    const auto saved = context->get_saved_variables();
    const auto &maps = saved[0], &weight = saved[1], &places = saved[2];
    const auto gradient = gradients[0].contiguous(kLast);
    const PooledGradients<Element> pooled{values_of<Element>(gradient), places.data_ptr<uint8_t>()};
    const auto shape = tiled(maps, weight.size(0));
    variable_list made(2);
    if (context->needs_input_grad(0)) {
      const TiledMaps turned{shape.images, shape.height, shape.width, shape.out, shape.in};
      const auto points = backward_points<Element>(weight);
      made[0] = empty_maps<Element>(turned);
      for_all_tiles<Element>(turned, [&](TileRange range, float* scratch) {
        loops_for<Element>(turned).convolve_unpooled(pooled, values_of<Element>(points),
                                                     values_of<Element>(made[0]), turned, range,
                                                     scratch);
      });
    }
    if (context->needs_input_grad(1)) {
      const auto add = [&](TileRange range, PointSums sums, float* scratch) {
        loops_for<Element>(shape).add_gradients_unpooled(values_of<Element>(maps), pooled, sums,
                                                         shape, range, scratch);
      };
      made[1] = weight_gradient<Element>(shape, add).contiguous(weight.suggest_memory_format());
    }
    return made;
  }
};

}  // namespace

torch::ScalarType winograd_type() {
  return at::autocast::is_cpu_enabled() ? torch::kBFloat16 : torch::kFloat;
}

bool winograd_fits(const torch::Tensor& maps, const torch::Tensor& weight) {
  static const bool possible = has_own_convolutions(), in_pairs = has_products_of_pairs();
  const auto type = maps.scalar_type();
  const auto in = weight.size(1), out = weight.size(0);
  if (!possible || !maps.device().is_cpu() || weight.scalar_type() != torch::kFloat ||
      maps.dim() != 4 || !maps.is_contiguous(kLast) || maps.numel() == 0 || weight.size(2) != 3 ||
      weight.size(3) != 3 || maps.size(1) != in || in % 8 != 0 || out % 8 != 0)
    return false;
  if (winograd_type() == torch::kFloat) return type == torch::kFloat;
  // The gradient's convolution has the inputs as its outputs.
  const bool turned = torch::GradMode::is_enabled() && maps.requires_grad();
  const auto vector = kWinogradLoops16.vector;
  return in_pairs && (type == torch::kFloat || type == torch::kBFloat16) &&
         fills(vector, in, out) && (!turned || fills(vector, out, in));
}

torch::Tensor winograd_convolution(const torch::Tensor& maps, const torch::Tensor& weight) {
  const auto type = winograd_type();
  const auto given = maps.to(type);
  return type == torch::kFloat ? Winograd<float>::apply(given, weight)
                               : Winograd<Bfloat>::apply(given, weight);
}

torch::Tensor winograd_points(const torch::Tensor& weight, torch::ScalarType type) {
  const auto weights = weight.detach().permute({2, 3, 1, 0}).contiguous();
  return type == torch::kFloat ? points_of<float>(weights) : points_of<Bfloat>(weights);
}

torch::Tensor winograd_convolution_by_points(const torch::Tensor& maps, const torch::Tensor& points,
                                             const Activation& activation) {
  const auto type = points.scalar_type();
  const auto given = maps.to(type);
  return type == torch::kFloat ? convolve<float>(given, points, activation)
                               : convolve<Bfloat>(given, points, activation);
}

torch::Tensor winograd_pooled_convolution(const torch::Tensor& maps, const torch::Tensor& weight) {
  const auto type = winograd_type();
  const auto given = maps.to(type);
  return type == torch::kFloat ? PooledWinograd<float>::apply(given, weight)
                               : PooledWinograd<Bfloat>::apply(given, weight);
}

torch::Tensor winograd_pooled_convolution_by_points(const torch::Tensor& maps,
                                                    const torch::Tensor& points,
                                                    const Activation& activation) {
  const auto type = points.scalar_type();
  const auto given = maps.to(type);
  return type == torch::kFloat ? convolve_pooled<float>(given, points, nullptr, activation)
                               : convolve_pooled<Bfloat>(given, points, nullptr, activation);
}

}  // namespace penumbra
