// Winograd's convolution must say what libtorch's says, forward and in both gradients.

#include "penumbra/model/winograd.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>
#include <torch/optim/sgd.h>

#include "penumbra/core/error.h"
#include "penumbra/model/kernels.h"
#include "penumbra/model/layers.h"
#include "penumbra/model/precision.h"
#include "penumbra/model/weights.h"

namespace penumbra {
namespace {

constexpr auto kLast = torch::MemoryFormat::ChannelsLast;

struct Gradients {
  torch::Tensor out, maps, weight;
};

struct Sizes {
  torch::Tensor maps, weight, direction;  // the last is what reaches the outputs

  Sizes(std::vector<int64_t> shape, int64_t out) {
    auto generator = make_generator(7);
    maps = torch::randn(shape, generator).contiguous(kLast);
    weight = torch::randn({out, shape[1], 3, 3}, generator);
    shape[1] = out;
    direction = torch::randn(shape, generator);
  }

  template <class Convolve>
  Gradients run(torch::ScalarType type, const Convolve& convolve) const {
    auto x = maps.detach().to(type).requires_grad_(), w = weight.detach().to(type).requires_grad_();
    const auto y = convolve(x, w);
    (y * direction.to(type)).sum().backward();
    return {y.detach(), x.grad(), w.grad()};
  }
  Gradients own() const { return run(torch::kFloat, winograd_convolution); }
  // In double, by libtorch.
  Gradients exact() const {
    return run(torch::kDouble, [](const torch::Tensor& x, const torch::Tensor& w) {
      return torch::conv2d(x, w, {}, /*stride=*/1, /*padding=*/1);
    });
  }
};

double difference(const torch::Tensor& found, const torch::Tensor& exact) {
  return ((found.to(torch::kDouble) - exact).norm() / exact.norm()).item<double>();
}

void expect_close(const Gradients& found, const Gradients& exact) {
  EXPECT_LT(difference(found.out, exact.out), 5e-6);
  EXPECT_LT(difference(found.maps, exact.maps), 5e-6);
  EXPECT_LT(difference(found.weight, exact.weight), 5e-6);
}

TEST(Winograd, AgreesWithLibtorchInOutputsAndGradients) {
  // Maps of whole tiles and of parts of them, smaller than one, wide and high; panels of 16
  // channels, and of 8 at the end; more tiles than are taken at once, and fewer than six.
  const std::vector<std::pair<std::vector<int64_t>, int64_t>> cases{
      {{2, 8, 8, 8}, 8},   {{3, 16, 9, 7}, 24},   {{1, 24, 1, 1}, 16},   {{5, 8, 3, 3}, 32},
      {{1, 32, 2, 13}, 8}, {{4, 64, 31, 31}, 64}, {{70, 128, 7, 7}, 256}};
  for (const auto& [shape, out] : cases) {
    SCOPED_TRACE(testing::Message() << torch::IntArrayRef(shape) << " -> " << out);
    const Sizes given(shape, out);
    ASSERT_TRUE(winograd_fits(given.maps, given.weight));
    expect_close(given.own(), given.exact());
  }
}

// Maps that bfloat16 has exactly, so that what is seen are the errors of the convolution alone.
TEST(WinogradInBf16, IsWithinAHundredthOfTheExactOutputsAndGradients) {
  if (!has_products_of_pairs()) GTEST_SKIP() << "no products of pairs on this processor";
  const std::vector<std::pair<std::vector<int64_t>, int64_t>> cases{
      {{2, 16, 8, 8}, 16},  {{3, 48, 9, 7}, 80},   {{1, 32, 1, 1}, 16},    {{8, 64, 1, 1}, 32},
      {{1, 32, 2, 13}, 32}, {{4, 64, 31, 31}, 64}, {{70, 128, 7, 7}, 256}, {{8, 512, 1, 1}, 512}};
  for (const auto& [shape, out] : cases) {
    SCOPED_TRACE(testing::Message() << torch::IntArrayRef(shape) << " -> " << out);
    Sizes given(shape, out);
    given.maps = given.maps.to(torch::kBFloat16).to(torch::kFloat);
    given.direction = given.direction.to(torch::kBFloat16).to(torch::kFloat);
    const auto exact = given.exact();
    const AutocastScope autocast(Precision::kBf16, torch::kCPU);
    ASSERT_TRUE(winograd_fits(given.maps, given.weight));
    const auto found = given.own();
    EXPECT_EQ(found.out.scalar_type(), torch::kBFloat16);
    EXPECT_LT(difference(found.out, exact.out), 0.02);
    EXPECT_LT(difference(found.maps, exact.maps), 0.02);
    EXPECT_LT(difference(found.weight, exact.weight), 0.02);
  }
}

torch::Tensor pooled_exactly(const torch::Tensor& x, const torch::Tensor& w) {
  return torch::max_pool2d(torch::conv2d(x, w, {}, /*stride=*/1, /*padding=*/1), {2, 2});
}

TEST(PooledWinograd, AgreesWithLibtorchInOutputsAndGradients) {
  // Whole tiles, odd sides whose last pixels are in no window, sides of two and three pixels.
  const std::vector<std::pair<std::vector<int64_t>, int64_t>> cases{
      {{2, 8, 8, 8}, 8},   {{3, 16, 9, 7}, 24},   {{2, 24, 2, 3}, 16},
      {{1, 8, 5, 14}, 32}, {{4, 24, 31, 31}, 64}, {{10, 64, 15, 15}, 128}};
  for (const auto& [shape, out] : cases) {
    SCOPED_TRACE(testing::Message() << torch::IntArrayRef(shape) << " -> " << out);
    Sizes given(shape, out);
    given.direction = given.direction.slice(2, 0, shape[2] / 2).slice(3, 0, shape[3] / 2);
    const auto found = given.run(torch::kFloat, winograd_pooled_convolution);
    const auto apart = given.run(torch::kFloat, [](const torch::Tensor& x, const torch::Tensor& w) {
      return torch::max_pool2d(winograd_convolution(x, w), {2, 2});
    });
    EXPECT_LT(difference(found.out, given.run(torch::kDouble, pooled_exactly).out), 5e-6);
    // Where two of a window are almost alike float32 may choose another than float64 does, but
    // not another than the same arithmetic in two parts.
    EXPECT_TRUE(found.out.equal(apart.out));
    EXPECT_LT(difference(found.maps, apart.maps.to(torch::kDouble)), 1e-6);
    EXPECT_LT(difference(found.weight, apart.weight.to(torch::kDouble)), 1e-6);
    EXPECT_TRUE(found.out.equal(
        winograd_pooled_convolution_by_points(given.maps, winograd_points(given.weight))));
  }
}

TEST(WinogradInBf16, PooledSaysWhatItsTwoPartsSay) {
  if (!has_products_of_pairs()) GTEST_SKIP() << "no products of pairs on this processor";
  const AutocastScope autocast(Precision::kBf16, torch::kCPU);
  const std::vector<std::pair<std::vector<int64_t>, int64_t>> cases{
      {{2, 16, 8, 8}, 16}, {{3, 32, 9, 7}, 48}, {{1, 32, 5, 14}, 16}, {{10, 64, 15, 15}, 128}};
  for (const auto& [shape, out] : cases) {
    SCOPED_TRACE(testing::Message() << torch::IntArrayRef(shape) << " -> " << out);
    Sizes given(shape, out);
    given.direction = given.direction.slice(2, 0, shape[2] / 2).slice(3, 0, shape[3] / 2);
    const auto found = given.run(torch::kFloat, winograd_pooled_convolution);
    const auto apart = given.run(torch::kFloat, [](const torch::Tensor& x, const torch::Tensor& w) {
      return torch::max_pool2d(winograd_convolution(x, w), {2, 2});
    });
    EXPECT_LT(difference(found.out, apart.out.to(torch::kDouble)), 1e-3);
    EXPECT_TRUE(found.out.equal(
        winograd_pooled_convolution_by_points(given.maps, winograd_points(given.weight))));
    // Two pixels that bfloat16 cannot tell apart are told apart where they are still floats.
    EXPECT_LT(difference(found.maps, apart.maps.to(torch::kDouble)), 0.15);
    EXPECT_LT(difference(found.weight, apart.weight.to(torch::kDouble)), 0.15);
  }
}

TEST(WinogradInBf16, SaysTheSameAgainAndOutputsWithAnyNumberOfThreads) {
  if (!has_products_of_pairs()) GTEST_SKIP() << "no products of pairs on this processor";
  const AutocastScope autocast(Precision::kBf16, torch::kCPU);
  const auto threads = at::get_num_threads();
  const Sizes given({9, 32, 10, 11}, 48);  // 81 tiles: one has no other to make a pair
  std::vector<Gradients> results;
  for (const int count : {1, 2, 3}) {
    at::set_num_threads(count);
    results.push_back(given.own());
    EXPECT_TRUE(given.own().weight.equal(results.back().weight));
  }
  at::set_num_threads(threads);
  for (const auto& result : results) {
    EXPECT_TRUE(result.out.equal(results[0].out));
    EXPECT_TRUE(result.maps.equal(results[0].maps));
    EXPECT_LT(difference(result.weight, results[0].weight.to(torch::kDouble)), 1e-5);
  }
}

TEST(PooledWinograd, OfEqualPixelsTheFirstHasTheGradientAsInLibtorch) {
  const auto ones = torch::ones({1, 8, 8, 8}).contiguous(kLast);
  const auto none = torch::zeros({8, 8, 3, 3});  // every output is exactly zero
  const auto gradient = [&](const auto& convolve) {
    auto x = ones.clone().requires_grad_(), w = none.clone().requires_grad_();
    convolve(x, w).sum().backward();
    return w.grad();
  };
  EXPECT_TRUE(gradient(winograd_pooled_convolution).allclose(gradient(pooled_exactly), 1e-4, 1e-4));
}

TEST(PooledWinograd, IsUsedByLayersWhereItFits) {
  const KernelScope scope(Kernels::kOwn);
  auto layer = convolution(8, 16, 3);
  const auto made = layer->forward_pooled(torch::ones({2, 8, 6, 6}).contiguous(kLast));
  EXPECT_NE(made.grad_fn()->name().find("PooledWinograd"), std::string::npos);
  EXPECT_EQ(made.sizes(), torch::IntArrayRef({2, 16, 3, 3}));
  EXPECT_EQ(layer->forward_pooled(torch::ones({2, 8, 1, 5}).contiguous(kLast)).sizes(),
            torch::IntArrayRef({2, 16, 1, 2}));
}

// Threads share out tiles where there are many, else panels of outputs, the last one a half.
TEST(Winograd, SaysTheSameWithAnyNumberOfThreads) {
  const auto threads = at::get_num_threads();
  for (const auto& given : {Sizes({9, 16, 10, 11}, 24), Sizes({1, 32, 8, 7}, 72)}) {
    SCOPED_TRACE(testing::Message() << given.maps.sizes());
    std::vector<Gradients> results;
    std::vector<torch::Tensor> pooled;
    for (const int count : {1, 2, 3}) {
      at::set_num_threads(count);
      results.push_back(given.own());
      expect_close(results.back(), given.exact());
      const auto again = given.own();
      EXPECT_TRUE(again.out.equal(results.back().out));
      EXPECT_TRUE(again.maps.equal(results.back().maps));
      EXPECT_TRUE(again.weight.equal(results.back().weight));
      pooled.push_back(winograd_pooled_convolution(given.maps, given.weight));
    }
    at::set_num_threads(threads);
    for (std::size_t i = 0; i < results.size(); ++i) {
      EXPECT_TRUE(results[i].out.equal(results[0].out));
      EXPECT_TRUE(results[i].maps.equal(results[0].maps));
      EXPECT_TRUE(pooled[i].equal(torch::max_pool2d(results[0].out, {2, 2})));
    }
  }
}

TEST(Winograd, ActivatesItsOutputsAsTheyWouldBeAfterwards) {
  const KernelScope scope(Kernels::kOwn);
  const torch::NoGradGuard no_gradient;
  for (const auto& given : {Sizes({9, 16, 10, 11}, 24), Sizes({1, 32, 8, 7}, 72)}) {
    auto generator = make_generator(9);
    const auto channels = given.weight.size(0);
    const auto numbers = [&] { return torch::randn({channels}, generator); };
    // Factors of both signs: the largest of a window is found before them.
    const Norm norm{numbers(), numbers(), numbers(), numbers().abs()};
    const auto points = winograd_points(given.weight);
    // Outputs of more than a hundred have roundings of 1e-5.
    for (const double slope : {0.0, 0.1}) {
      const auto activation = activation_of(norm, slope);
      EXPECT_TRUE(winograd_convolution_by_points(given.maps, points, activation)
                      .allclose(norm_activation(winograd_convolution_by_points(given.maps, points),
                                                norm, slope),
                                1e-6, 3e-5));
      EXPECT_TRUE(
          winograd_pooled_convolution_by_points(given.maps, points, activation)
              .allclose(norm_activation(winograd_pooled_convolution_by_points(given.maps, points),
                                        norm, slope),
                        1e-6, 3e-5));
    }
  }
}

TEST(Winograd, LeavesTheRestToLibtorch) {
  const auto maps = [](int64_t channels, torch::ScalarType type = torch::kFloat) {
    return torch::ones({2, channels, 5, 5}, type).contiguous(kLast);
  };
  const auto weight = [](int64_t out, int64_t in, int64_t side = 3) {
    return torch::ones({out, in, side, side});
  };
  EXPECT_TRUE(winograd_fits(maps(8), weight(16, 8)));
  EXPECT_FALSE(winograd_fits(maps(3), weight(16, 3)));
  EXPECT_FALSE(winograd_fits(maps(8), weight(10, 8)));
  EXPECT_FALSE(winograd_fits(maps(8), weight(16, 8, 1)));
  EXPECT_FALSE(winograd_fits(maps(8).contiguous(), weight(16, 8)));
  EXPECT_FALSE(winograd_fits(maps(8, torch::kDouble), weight(16, 8).to(torch::kDouble)));
  EXPECT_FALSE(winograd_fits(maps(8).slice(0, 0, 0), weight(16, 8)));
  const AutocastScope autocast(Precision::kBf16, torch::kCPU);
  EXPECT_FALSE(winograd_fits(maps(8), weight(16, 8)));
  EXPECT_FALSE(winograd_fits(maps(16), weight(24, 16)));
  // The gradient of 24 channels would have to be made in whole vectors of sixteen.
  EXPECT_EQ(winograd_fits(maps(24), weight(16, 24)), has_products_of_pairs());
  EXPECT_FALSE(winograd_fits(maps(24).requires_grad_(), weight(16, 24)));
}

// Which of the two made this, by autograd's own record.
std::string maker(Convolution& layer, Kernels kernels) {
  const KernelScope scope(kernels);
  return layer(torch::ones({2, 8, 6, 6}).contiguous(kLast)).grad_fn()->name();
}

TEST(Winograd, IsUsedByLayersWhereOwnKernelsAreWanted) {
  auto same = convolution(8, 16, 3), halving = convolution(8, 16, 3, 2);
  EXPECT_NE(maker(same, Kernels::kOwn).find("Winograd"), std::string::npos);
  EXPECT_EQ(maker(same, Kernels::kLibtorch).find("Winograd"), std::string::npos);
  EXPECT_EQ(maker(halving, Kernels::kOwn).find("Winograd"), std::string::npos);
}

TEST(Winograd, OfAFewImagesFollowsTheWeightWhereverItGoes) {
  const KernelScope scope(Kernels::kOwn);
  const torch::NoGradGuard no_gradient;
  auto generator = make_generator(3);
  const auto maps = torch::randn({2, 8, 6, 6}, generator).contiguous(kLast);
  auto layer = convolution(8, 16, 3);
  layer->eval();
  const auto expect_exact = [&](Convolution& one) {
    const auto exact = torch::conv2d(maps.to(torch::kDouble), one->weight.to(torch::kDouble), {},
                                     /*stride=*/1, /*padding=*/1);
    EXPECT_LT(difference(one->forward(maps), exact), 5e-6);
  };
  expect_exact(layer);
  layer->weight.mul_(-0.5);
  expect_exact(layer);
  torch::_foreach_mul_({layer->weight}, 0.7);  // as a moving average is kept
  expect_exact(layer);
  layer->weight.set_data(torch::randn({16, 8, 3, 3}, generator));
  expect_exact(layer);
  torch::optim::SGD optimiser({layer->weight}, torch::optim::SGDOptions(/*lr=*/0.1));
  for (const bool training : {false, true}) {
    layer->train(training);
    expect_exact(layer);
    {
      const torch::AutoGradMode gradient(true);
      optimiser.zero_grad();
      layer->forward(maps).square().sum().backward();
    }
    if (training) expect_exact(layer);  // as a batch is looked at without gradient, too
    optimiser.step();
    expect_exact(layer);
  }
  layer->eval();
  // As many as are computed the other way say the same of each.
  EXPECT_TRUE(layer(maps.repeat({8, 1, 1, 1}).contiguous(kLast)).slice(0, 0, 2).equal(layer(maps)));
}

TEST(Winograd, SaysThatItHasNoSecondGradient) {
  const KernelScope scope(Kernels::kOwn);
  const auto maps = torch::randn({2, 8, 6, 6}, make_generator(3)).contiguous(kLast);
  auto layer = convolution(8, 16, 3);
  for (const bool pooled : {false, true}) {
    const auto out = pooled ? layer->forward_pooled(maps) : layer->forward(maps);
    EXPECT_THROW(torch::autograd::grad({out.square().sum()}, {layer->weight}, {},
                                       /*retain_graph=*/true, /*create_graph=*/true),
                 c10::Error);
  }
}

TEST(Kernels, ScopesNestAndNamesAreRead) {
  EXPECT_EQ(kernels_now(), fastest_kernels());
  {
    const KernelScope outer(Kernels::kOwn);
    {
      const KernelScope inner(Kernels::kLibtorch);
      EXPECT_EQ(kernels_now(), Kernels::kLibtorch);
    }
    EXPECT_EQ(kernels_now(), Kernels::kOwn);
  }
  EXPECT_EQ(kernels_now(), fastest_kernels());
  for (const auto kernels : {Kernels::kOwn, Kernels::kLibtorch})
    EXPECT_EQ(parse_kernels(to_string(kernels)), kernels);
  EXPECT_THROW(parse_kernels("mine"), Error);
}

}  // namespace
}  // namespace penumbra
