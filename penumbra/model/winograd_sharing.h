#pragma once
#include <ATen/Parallel.h>
#include <torch/types.h>

#include <algorithm>
#include <atomic>
#include <type_traits>

#include "penumbra/model/kernels.h"
#include "penumbra/model/winograd_loops.h"

// Which loops compute a convolution, and who of the threads has which tiles, for winograd.cpp
// alone.

namespace penumbra {

constexpr bool fills(int64_t vector, int64_t in, int64_t out) {
  return in >= vector && out % vector == 0;
}

// The longest vectors that the processor has and that these channels fill.
template <class Element>
const WinogradLoops<Element>& loops_for(int64_t in, int64_t out) {
  if constexpr (std::is_same_v<Element, float>) {
    static const bool wide = has_wide_vectors();
    return wide && fills(kWinogradLoops16.vector, in, out) ? kWinogradLoops16 : kWinogradLoops8;
  } else {
#if defined(__x86_64__)
    return kWinogradLoopsBf16;
#else
    TORCH_CHECK(false, "not compiled for this processor");  // winograd_fits() says so
#endif
  }
}
template <class Element>
const WinogradLoops<Element>& loops_for(const TiledMaps& maps) {
  return loops_for<Element>(maps.in, maps.all_out);
}

template <class Element>
constexpr auto kType = std::is_same_v<Element, float> ? torch::kFloat : torch::kBFloat16;

template <class Element>
Element* values_of(const torch::Tensor& tensor) {
  TORCH_CHECK(tensor.scalar_type() == kType<Element>, "expected ", kType<Element>);
  return static_cast<Element*>(tensor.data_ptr());
}

// So many tiles at once that what they become stays in a core's cache; those with longer vectors
// have larger ones.
template <class Element>
int64_t tiles_at_once(const TiledMaps& maps) {
  const auto rows = loops_for<Element>(maps).rows;
  return std::clamp(1024 * rows / (maps.in + maps.out), 3 * rows, 8 * rows) / rows * rows;
}

template <class Element>
torch::Tensor scratch_for(const TiledMaps& maps, int64_t tiles) {
  return torch::empty({loops_for<Element>(maps).scratch(maps, tiles)}, torch::kFloat);
}

// Calls work(range, scratch) for all these tiles, some at once.
template <class Element, class Work>
void for_each_range(const TiledMaps& maps, TileRange all, const Work& work) {
  const auto most = std::min(tiles_at_once<Element>(maps), all.count);
  const torch::Tensor scratch = scratch_for<Element>(maps, most);
  const auto end = all.first + all.count;
  for (auto first = all.first; first < end; first += most)
    work(TileRange{first, std::min(most, end - first)}, scratch.data_ptr<float>());
}

// The same for all tiles of the maps, on all threads. Whichever is free takes the next ones: where
// other programs run as well, threads are not equally fast.
template <class Element, class Work>
void for_all_tiles(const TiledMaps& maps, const Work& work) {
  const auto rows = loops_for<Element>(maps).rows, tiles = maps.tiles();
  const auto threads = std::clamp<int64_t>(tiles / rows, 1, at::get_num_threads());
  const auto share = (tiles + threads * rows - 1) / (threads * rows) * rows;
  const auto most = std::min(tiles_at_once<Element>(maps), share);
  std::atomic<int64_t> next{0};
  at::parallel_for(0, threads, 1, [&](int64_t, int64_t) {
    const torch::Tensor scratch = scratch_for<Element>(maps, most);
    for (auto first = next.fetch_add(most); first < tiles; first = next.fetch_add(most))
      work(TileRange{first, std::min(most, tiles - first)}, scratch.data_ptr<float>());
  });
}

// The same for tiles and outputs: calls work(part, its first output, range, scratch). Of few tiles,
// such as those of a single picture, every thread has all and a part of the outputs: the points of
// the weights are most of what is then read.
template <class Element, class Work>
void for_all_outputs(const TiledMaps& maps, const Work& work) {
  const auto& loops = loops_for<Element>(maps);
  if (maps.tiles() > 4 * loops.rows) {
    for_all_tiles<Element>(maps,
                           [&](TileRange range, float* scratch) { work(maps, 0, range, scratch); });
    return;
  }
  const auto panels = (maps.out + loops.panel - 1) / loops.panel;
  at::parallel_for(0, panels, 1, [&](int64_t begin, int64_t end) {
    const auto first = begin * loops.panel;
    auto part = maps;
    part.out = std::min(end * loops.panel, maps.out) - first;
    for_each_range<Element>(part, {0, part.tiles()}, [&](TileRange range, float* scratch) {
      work(part, first, range, scratch);
    });
  });
}

}  // namespace penumbra
