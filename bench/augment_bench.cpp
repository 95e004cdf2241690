// Views per second and core, normalised into float32 or bfloat16.
#include <benchmark/benchmark.h>

#include <numeric>

#include "penumbra/augment/loader.h"
#include "penumbra/augment/view.h"

namespace penumbra {
namespace {

// Smooth shapes with some noise: like photographs, not like pure noise, for histograms and
// branches.
std::vector<uint8_t> make_picture(const Shape& shape, uint32_t number) {
  std::vector<uint8_t> pixels;
  Random random({number});
  const auto tilt = static_cast<int>(random.below(7));
  for (int y = 0; y < shape.height; ++y)
    for (int x = 0; x < shape.width; ++x)
      for (int c = 0; c < shape.channels; ++c)
        pixels.push_back(static_cast<uint8_t>((x * (c + 1) + y * tilt) * 100 / shape.width +
                                              static_cast<int>(random.below(20))));
  return pixels;
}

template <class Out>
void run(benchmark::State& state, const char* policy, Options options) {
  const auto size = static_cast<int>(state.range(0));
  const Shape shape{size, size, 3};
  constexpr uint32_t kPictures = 64;
  std::vector<std::vector<uint8_t>> pictures;
  for (uint32_t i = 0; i < kPictures; ++i) pictures.push_back(make_picture(shape, i));
  const auto policies = make_policies(policy, options, /*mirrors=*/true);
  const bool strong = std::string_view(policy) != "flip_crop";
  const Normaliser normaliser({{0.49f, 0.48f, 0.45f}, {0.25f, 0.24f, 0.26f}}, shape);
  std::vector<Out> out(static_cast<std::size_t>(shape.size()));
  Canvas canvas(shape);
  Occurrence occurrence;
  for (auto _ : state) {
    canvas.load(pictures[static_cast<std::size_t>(occurrence.image % kPictures)].data());
    if (strong)
      draw_strong(canvas, occurrence, 0, *policies.weak, *policies.strong, 0);
    else
      draw_weak(canvas, occurrence, 0, *policies.weak, 0);
    normaliser.write(canvas.front(), out.data());
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
    ++occurrence.image;
  }
  state.SetItemsProcessed(state.iterations());
}

void augment(benchmark::State& state, const char* policy, Options options) {
  run<float>(state, policy, std::move(options));
}
void augment_bfloat16(benchmark::State& state, const char* policy, Options options) {
  run<uint16_t>(state, policy, std::move(options));
}

BENCHMARK_CAPTURE(augment, weak, "flip_crop", {})->Arg(32)->Arg(84)->Arg(224);
BENCHMARK_CAPTURE(augment, fixmatch, "randaugment", {})->Arg(32)->Arg(84)->Arg(224);
BENCHMARK_CAPTURE(augment, simple, "randaugment", {{"dialect", "simple"}})->Arg(32);
BENCHMARK_CAPTURE(augment, usb, "randaugment", {{"dialect", "usb"}})->Arg(32);
BENCHMARK_CAPTURE(augment, ctaugment, "ctaugment", {})->Arg(32);
BENCHMARK_CAPTURE(augment_bfloat16, weak, "flip_crop", {})->Arg(32);
BENCHMARK_CAPTURE(augment_bfloat16, fixmatch, "randaugment", {})->Arg(32);

// Whole batches from one background thread: FixMatch's 64 labelled pictures, a weak and a strong
// view of 448 others. Steps per second that a model could take without ever waiting.
void loader(benchmark::State& state) {
  Source source;
  source.images.pixels = torch::empty({2000, 32, 32, 3}, torch::kByte);
  for (uint32_t i = 0; i < 2000; ++i) {
    const auto picture = make_picture({32, 32, 3}, i);
    std::copy(picture.begin(), picture.end(), source.images.pixels.data_ptr<uint8_t>() + i * 3072);
  }
  source.images.labels = torch::zeros({2000}, torch::kLong);
  source.labelled.resize(2000);
  std::iota(source.labelled.begin(), source.labelled.end(), 0);
  source.unlabelled = source.labelled;
  source.views = {/*weak=*/1, /*strong=*/1, /*ratio=*/7};
  Options options;
  source.policies = make_policies("randaugment", options, /*mirrors=*/true);
  source.normalisation = {{0.49f, 0.48f, 0.45f}, {0.25f, 0.24f, 0.26f}};
  Loader batches(source, {});
  for (auto _ : state) benchmark::DoNotOptimize(batches.next().all.data_ptr());
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(loader)->UseRealTime();

}  // namespace
}  // namespace penumbra
