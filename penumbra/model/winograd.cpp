#include "penumbra/model/winograd.h"

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "penumbra/model/winograd_loops.h"

namespace penumbra {
namespace {

constexpr auto kLast = torch::MemoryFormat::ChannelsLast;

// So many tiles at once that what they become stays in a core's cache.
int64_t tiles_at_once(const TiledMaps& maps) {
  return std::clamp<int64_t>(6144 / (maps.in + maps.out), 18, 48) / 6 * 6;
}

// Calls work(range, scratch) for all these tiles, some at once.
template <class Work>
void for_each_range(const TiledMaps& maps, TileRange all, const Work& work) {
  const auto most = std::min(tiles_at_once(maps), all.count);
  const auto scratch = torch::empty({winograd_scratch(maps, most)});
  const auto end = all.first + all.count;
  for (auto first = all.first; first < end; first += most)
    work(TileRange{first, std::min(most, end - first)}, scratch.data_ptr<float>());
}

TiledMaps tiled(const torch::Tensor& maps, int64_t out) {
  return {maps.size(0), maps.size(2), maps.size(3), maps.size(1), out};
}

// [3, 3, in, out] -> [36, in * out]
torch::Tensor points_of(const torch::Tensor& weights) {
  const auto in = weights.size(2), out = weights.size(3);
  auto made = torch::empty({kPoints, in * out});
  at::parallel_for(0, in, 8, [&](int64_t begin, int64_t end) {
    winograd_weights(weights.data_ptr<float>(), in, out, begin, end, made.data_ptr<float>());
  });
  return made;
}

// points: [36, in * out]
torch::Tensor convolve(const torch::Tensor& maps, const torch::Tensor& points) {
  const auto shape = tiled(maps, points.size(1) / maps.size(1));
  auto made = torch::empty({shape.images, shape.out, shape.height, shape.width},
                           maps.options().memory_format(kLast));
  at::parallel_for(0, shape.tiles(), 6, [&](int64_t begin, int64_t end) {
    for_each_range(shape, {begin, end - begin}, [&](TileRange range, float* scratch) {
      winograd_convolve(maps.data_ptr<float>(), points.data_ptr<float>(), made.data_ptr<float>(),
                        shape, range, scratch);
    });
  });
  return made;
}

// [out, in, 3, 3]
torch::Tensor weight_gradient(const torch::Tensor& maps, const torch::Tensor& gradient) {
  const auto shape = tiled(maps, gradient.size(1));
  // Every thread has sums of its own; which tiles are whose depends on their number alone.
  const auto threads = std::clamp<int64_t>(shape.tiles() / 6, 1, at::get_num_threads());
  auto sums = torch::zeros({threads, kPoints, shape.in * shape.out});
  at::parallel_for(0, threads, 1, [&](int64_t begin, int64_t end) {
    for (auto thread = begin; thread < end; ++thread) {
      const auto first = shape.tiles() * thread / threads;
      const auto next = shape.tiles() * (thread + 1) / threads;
      for_each_range(shape, {first, next - first}, [&](TileRange range, float* scratch) {
        winograd_add_gradients(maps.data_ptr<float>(), gradient.data_ptr<float>(),
                               sums[thread].data_ptr<float>(), shape, range, scratch);
      });
    }
  });
  const auto total = threads == 1 ? sums[0] : sums.sum(0);
  auto made = torch::empty({3, 3, shape.in, shape.out});
  at::parallel_for(0, shape.in, 8, [&](int64_t begin, int64_t end) {
    winograd_weight_gradients(total.data_ptr<float>(), shape.in, shape.out, begin, end,
                              made.data_ptr<float>());
  });
  return made.permute({3, 2, 0, 1});
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class Winograd : public torch::autograd::Function<Winograd> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& maps,
                               const torch::Tensor& weight) {
    context->save_for_backward({maps, weight});
    return convolve(maps, winograd_points(weight));
  }

  // Outputs reach an input through the kernel turned by half a circle.
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const auto &maps = saved[0], &weight = saved[1];
    const auto gradient = gradients[0].contiguous(kLast);
    variable_list made(2);
    if (context->needs_input_grad(0))
      made[0] =
          convolve(gradient, points_of(weight.flip({2, 3}).permute({2, 3, 0, 1}).contiguous()));
    if (context->needs_input_grad(1))
      made[1] = weight_gradient(maps, gradient).contiguous(weight.suggest_memory_format());
    return made;
  }
};

// Whether the processor has what winograd_loops.cpp was compiled for.
bool has_vectors() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return true;
#endif
}

}  // namespace

bool winograd_fits(const torch::Tensor& maps, const torch::Tensor& weight) {
  static const bool possible = has_vectors();
  return possible && maps.device().is_cpu() && maps.scalar_type() == torch::kFloat &&
         weight.scalar_type() == torch::kFloat && !at::autocast::is_cpu_enabled() &&
         maps.dim() == 4 && maps.is_contiguous(kLast) && maps.numel() > 0 && weight.size(2) == 3 &&
         weight.size(3) == 3 && weight.size(0) % kVector == 0 && weight.size(1) % kVector == 0;
}

torch::Tensor winograd_convolution(const torch::Tensor& maps, const torch::Tensor& weight) {
  return Winograd::apply(maps, weight);
}

torch::Tensor winograd_points(const torch::Tensor& weight) {
  return points_of(weight.detach().permute({2, 3, 1, 0}).contiguous());
}

torch::Tensor winograd_convolution_by_points(const torch::Tensor& maps,
                                             const torch::Tensor& points) {
  return convolve(maps, points);
}

}  // namespace penumbra
