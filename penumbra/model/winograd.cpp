#include "penumbra/model/winograd.h"

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <atomic>

#include "penumbra/model/kernels.h"
#include "penumbra/model/winograd_loops.h"

namespace penumbra {
namespace {

constexpr auto kLast = torch::MemoryFormat::ChannelsLast;

// The longest vectors that the processor has and that these channels fill.
const WinogradLoops& loops_for(int64_t in, int64_t out) {
  static const bool wide = has_wide_vectors();
  const bool fits = in >= kWinogradLoops16.vector && out % kWinogradLoops16.vector == 0;
  return wide && fits ? kWinogradLoops16 : kWinogradLoops8;
}
const WinogradLoops& loops_for(const TiledMaps& maps) { return loops_for(maps.in, maps.all_out); }

// So many tiles at once that what they become stays in a core's cache; those with longer vectors
// have larger ones.
int64_t tiles_at_once(const TiledMaps& maps) {
  const auto rows = loops_for(maps).rows;
  return std::clamp(1024 * rows / (maps.in + maps.out), 3 * rows, 8 * rows) / rows * rows;
}

// Calls work(range, scratch) for all these tiles, some at once.
template <class Work>
void for_each_range(const TiledMaps& maps, TileRange all, const Work& work) {
  const auto most = std::min(tiles_at_once(maps), all.count);
  const torch::Tensor scratch = torch::empty({loops_for(maps).scratch(maps, most)});
  const auto end = all.first + all.count;
  for (auto first = all.first; first < end; first += most)
    work(TileRange{first, std::min(most, end - first)}, scratch.data_ptr<float>());
}

// The same for all tiles of the maps, on all threads. Whichever is free takes the next ones: where
// other programs run as well, threads are not equally fast.
template <class Work>
void for_all_tiles(const TiledMaps& maps, const Work& work) {
  const auto rows = loops_for(maps).rows, tiles = maps.tiles();
  const auto threads = std::clamp<int64_t>(tiles / rows, 1, at::get_num_threads());
  const auto share = (tiles + threads * rows - 1) / (threads * rows) * rows;
  const auto most = std::min(tiles_at_once(maps), share);
  std::atomic<int64_t> next{0};
  at::parallel_for(0, threads, 1, [&](int64_t, int64_t) {
    const torch::Tensor scratch = torch::empty({loops_for(maps).scratch(maps, most)});
    for (auto first = next.fetch_add(most); first < tiles; first = next.fetch_add(most))
      work(TileRange{first, std::min(most, tiles - first)}, scratch.data_ptr<float>());
  });
}

// The same for tiles and outputs: calls work(part, its first output, range, scratch). Of few tiles,
// such as those of a single picture, every thread has all and a part of the outputs: the points of
// the weights are most of what is then read.
template <class Work>
void for_all_outputs(const TiledMaps& maps, const Work& work) {
  const auto& loops = loops_for(maps);
  if (maps.tiles() > 4 * loops.rows) {
    for_all_tiles(maps, [&](TileRange range, float* scratch) { work(maps, 0, range, scratch); });
    return;
  }
  const auto panels = (maps.out + loops.panel - 1) / loops.panel;
  at::parallel_for(0, panels, 1, [&](int64_t begin, int64_t end) {
    const auto first = begin * loops.panel;
    auto part = maps;
    part.out = std::min(end * loops.panel, maps.out) - first;
    for_each_range(part, {0, part.tiles()},
                   [&](TileRange range, float* scratch) { work(part, first, range, scratch); });
  });
}

TiledMaps tiled(const torch::Tensor& maps, int64_t out) {
  return {maps.size(0), maps.size(2), maps.size(3), maps.size(1), out};
}

torch::Tensor empty_maps(const TiledMaps& shape, int64_t shrunk = 1) {
  return torch::empty({shape.images, shape.out, shape.height / shrunk, shape.width / shrunk},
                      torch::TensorOptions().memory_format(kLast));
}

// [3, 3, in, out] -> [36, point_step(in, out)]
torch::Tensor points_of(const torch::Tensor& weights) {
  const auto in = weights.size(2), out = weights.size(3);
  auto made = torch::empty({kPoints, point_step(in, out)});
  at::parallel_for(0, in, 8, [&](int64_t begin, int64_t end) {
    loops_for(in, out).weights(weights.data_ptr<float>(), in, out, begin, end,
                               made.data_ptr<float>());
  });
  return made;
}

// Of the kernel turned by half a circle: outputs reach an input through that.
torch::Tensor backward_points(const torch::Tensor& weight) {
  return points_of(weight.flip({2, 3}).permute({2, 3, 0, 1}).contiguous());
}

Finish finish_of(const Activation& activation) {
  if (!activation.scale.defined()) return {};
  return {activation.scale.data_ptr<float>(), activation.shift.data_ptr<float>(),
          static_cast<float>(activation.slope)};
}

// points: [36, point_step(in, out)]
torch::Tensor convolve(const torch::Tensor& maps, const torch::Tensor& points,
                       const Activation& activation = {}) {
  const auto shape = tiled(maps, outputs_of_step(points.size(1), maps.size(1)));
  const auto finish = finish_of(activation);
  auto made = empty_maps(shape);
  const auto *in = maps.data_ptr<float>(), *weights = points.data_ptr<float>();
  auto* out = made.data_ptr<float>();
  for_all_outputs(shape,
                  [&](const TiledMaps& part, int64_t first, TileRange range, float* scratch) {
                    loops_for(shape).convolve(in, weights + first * shape.in, out + first,
                                              finish.from(first), part, range, scratch);
                  });
  return made;
}

// The same, pooled, and with the places of what was kept where `places` is to hold them.
torch::Tensor convolve_pooled(const torch::Tensor& maps, const torch::Tensor& points,
                              torch::Tensor* places, const Activation& activation = {}) {
  const auto shape = tiled(maps, outputs_of_step(points.size(1), maps.size(1)));
  const auto finish = finish_of(activation);
  auto made = empty_maps(shape, 2);
  if (places != nullptr) *places = torch::empty_like(made, torch::kByte);
  const auto *in = maps.data_ptr<float>(), *weights = points.data_ptr<float>();
  auto* out = made.data_ptr<float>();
  auto* at = places != nullptr ? places->data_ptr<uint8_t>() : nullptr;
  for_all_outputs(
      shape, [&](const TiledMaps& part, int64_t first, TileRange range, float* scratch) {
        loops_for(shape).convolve_pooled(in, weights + first * shape.in, out + first,
                                         finish.from(first), at != nullptr ? at + first : nullptr,
                                         part, range, scratch);
      });
  return made;
}

// [out, in, 3, 3]; add(range, sums, scratch) adds what some tiles say.
template <class Add>
torch::Tensor weight_gradient(const TiledMaps& shape, const Add& add) {
  // Every thread has sums of its own; which tiles are whose depends on their number alone.
  const auto threads = std::clamp<int64_t>(shape.tiles() / 6, 1, at::get_num_threads());
  const auto step = kPoints * point_step(shape.in, shape.out);
  auto sums = torch::empty({threads, step});
  at::parallel_for(0, threads, 1, [&](int64_t begin, int64_t end) {
    for (auto thread = begin; thread < end; ++thread) {
      const auto first = shape.tiles() * thread / threads;
      const auto next = shape.tiles() * (thread + 1) / threads;
      auto* own = sums.data_ptr<float>() + thread * step;
      for_each_range(shape, {first, next - first}, [&](TileRange range, float* scratch) {
        add(range, PointSums{own, range.first != first}, scratch);
      });
    }
  });
  auto made = torch::empty({3, 3, shape.in, shape.out});
  at::parallel_for(0, shape.in, 8, [&](int64_t begin, int64_t end) {
    loops_for(shape).weight_gradients(sums.data_ptr<float>(), threads, shape.in, shape.out, begin,
                                      end, made.data_ptr<float>());
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

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const auto &maps = saved[0], &weight = saved[1];
    const auto gradient = gradients[0].contiguous(kLast);
    variable_list made(2);
    if (context->needs_input_grad(0)) made[0] = convolve(gradient, backward_points(weight));
    if (context->needs_input_grad(1)) {
      const auto shape = tiled(maps, weight.size(0));
      const auto add = [&](TileRange range, PointSums sums, float* scratch) {
        loops_for(shape).add_gradients(maps.data_ptr<float>(), gradient.data_ptr<float>(), sums,
                                       shape, range, scratch);
      };
      made[1] = weight_gradient(shape, add).contiguous(weight.suggest_memory_format());
    }
    return made;
  }
};

class PooledWinograd : public torch::autograd::Function<PooledWinograd> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& maps,
                               const torch::Tensor& weight) {
    torch::Tensor places;
    const auto made = convolve_pooled(maps, winograd_points(weight), &places);
    context->save_for_backward({maps, weight, places});
    return made;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const auto &maps = saved[0], &weight = saved[1], &places = saved[2];
    const auto gradient = gradients[0].contiguous(kLast);
    const PooledGradients pooled{gradient.data_ptr<float>(), places.data_ptr<uint8_t>()};
    const auto shape = tiled(maps, weight.size(0));
    variable_list made(2);
    if (context->needs_input_grad(0)) {
      const TiledMaps turned{shape.images, shape.height, shape.width, shape.out, shape.in};
      const auto points = backward_points(weight);
      made[0] = empty_maps(turned);
      for_all_tiles(turned, [&](TileRange range, float* scratch) {
        loops_for(turned).convolve_unpooled(pooled, points.data_ptr<float>(),
                                            made[0].data_ptr<float>(), turned, range, scratch);
      });
    }
    if (context->needs_input_grad(1)) {
      const auto add = [&](TileRange range, PointSums sums, float* scratch) {
        loops_for(shape).add_gradients_unpooled(maps.data_ptr<float>(), pooled, sums, shape, range,
                                                scratch);
      };
      made[1] = weight_gradient(shape, add).contiguous(weight.suggest_memory_format());
    }
    return made;
  }
};

}  // namespace

bool winograd_fits(const torch::Tensor& maps, const torch::Tensor& weight) {
  static const bool possible = has_own_convolutions();
  return possible && maps.device().is_cpu() && maps.scalar_type() == torch::kFloat &&
         weight.scalar_type() == torch::kFloat && !at::autocast::is_cpu_enabled() &&
         maps.dim() == 4 && maps.is_contiguous(kLast) && maps.numel() > 0 && weight.size(2) == 3 &&
         weight.size(3) == 3 && weight.size(0) % 8 == 0 && weight.size(1) % 8 == 0;
}

torch::Tensor winograd_convolution(const torch::Tensor& maps, const torch::Tensor& weight) {
  return Winograd::apply(maps, weight);
}

torch::Tensor winograd_points(const torch::Tensor& weight) {
  return points_of(weight.detach().permute({2, 3, 1, 0}).contiguous());
}

torch::Tensor winograd_convolution_by_points(const torch::Tensor& maps, const torch::Tensor& points,
                                             const Activation& activation) {
  return convolve(maps, points, activation);
}

torch::Tensor winograd_pooled_convolution(const torch::Tensor& maps, const torch::Tensor& weight) {
  return PooledWinograd::apply(maps, weight);
}

torch::Tensor winograd_pooled_convolution_by_points(const torch::Tensor& maps,
                                                    const torch::Tensor& points,
                                                    const Activation& activation) {
  return convolve_pooled(maps, points, nullptr, activation);
}

}  // namespace penumbra
