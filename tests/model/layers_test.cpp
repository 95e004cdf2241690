#include "penumbra/model/layers.h"

#include <thread>

#include "penumbra/model/kernels.h"
#include "penumbra/model/weights.h"
#include "tests/expect_error.h"

namespace penumbra {
namespace {

torch::Tensor normal_maps(const std::vector<int64_t>& sizes, uint64_t seed = 1) {
  return torch::empty(sizes)
      .normal_(0, 1, make_generator(seed))
      .contiguous(torch::MemoryFormat::ChannelsLast);
}

TEST(Convolution, KeepsTheSizeOfOddKernelsAndHasNoBias) {
  for (const int64_t kernel : {1, 3, 5}) {
    auto layer = convolution(3, 4, kernel);
    EXPECT_EQ(layer(normal_maps({2, 3, 9, 7})).sizes(), torch::IntArrayRef({2, 4, 9, 7}));
    EXPECT_EQ(layer->parameters().size(), 1U);
  }
  auto halved = convolution(3, 4, 3, /*stride=*/2);
  EXPECT_EQ(halved(normal_maps({2, 3, 9, 8})).sizes(), torch::IntArrayRef({2, 4, 5, 4}));
}

TEST(Convolution, PooledIsTheLargestOfEachTwoByTwo) {
  auto layer = convolution(8, 16, 3);
  for (const auto kernels : {Kernels::kOwn, Kernels::kLibtorch})
    for (const auto& sizes : std::vector<std::vector<int64_t>>{
             {3, 8, 8, 8}, {2, 8, 7, 9}, {1, 8, 1, 6}, {1, 8, 1, 1}}) {
      const KernelScope scope(kernels);
      const auto maps = normal_maps(sizes);
      const auto whole = layer(maps);
      const auto side = [&](int64_t dimension) {
        return std::min<int64_t>(2, maps.size(dimension));
      };
      const auto expected = torch::max_pool2d(whole, {side(2), side(3)});
      EXPECT_TRUE(layer->forward_pooled(maps).allclose(expected, 1e-4, 1e-5))
          << to_string(kernels) << ' ' << maps.sizes();
    }
}

TEST(Convolution, OfMapsOnePixelWideAgreesWithTheWholeKernel) {
  for (const int64_t stride : {1, 2}) {
    auto layer = convolution(8, 16, 3, stride);
    auto maps = normal_maps({4, 8, 5, 1}).requires_grad_();
    layer->forward(maps).square().sum().backward();
    auto whole = maps.detach().clone().requires_grad_();
    const auto weight = layer->weight.detach().clone().requires_grad_();
    torch::conv2d(whole, weight, {}, stride, /*padding=*/1).square().sum().backward();
    EXPECT_TRUE(layer->weight.grad().allclose(weight.grad(), 1e-4, 1e-5));
    EXPECT_TRUE(maps.grad().allclose(whole.grad(), 1e-4, 1e-5));
  }
}

TEST(Convolution, AnswersAlikeWithAndWithoutGradients) {
  auto layer = convolution(8, 8, 3);
  for (const int64_t images : {1, 20}) {  // a few keep what was made of the weight
    const auto maps = normal_maps({images, 8, 8, 8});
    const auto with = layer(maps).detach();
    const torch::NoGradGuard no_gradient;
    EXPECT_TRUE(layer(maps).allclose(with, 1e-4, 1e-5));
    layer->weight.mul_(2);  // and notice that it changed
    EXPECT_TRUE(layer(maps).allclose(2 * with, 1e-4, 1e-5));
  }
}

// leaky_relu(norm(maps)) by libtorch, in double.
torch::Tensor exactly(const torch::Tensor& maps, const Norm& norm, double slope) {
  const auto wide = [](const torch::Tensor& tensor) {
    return tensor.defined() ? tensor.to(torch::kDouble) : tensor;
  };
  return torch::leaky_relu(
      torch::batch_norm(wide(maps), wide(norm.weight), wide(norm.bias), wide(norm.running_mean),
                        wide(norm.running_var), norm.training, norm.momentum, norm.epsilon, false),
      slope);
}

TEST(Convolution, ActivatesWhatItGivesWhetherOrNotAnythingIsTrained) {
  auto generator = make_generator(4);
  auto layer = convolution(16, 40, 3), halving = convolution(16, 40, 3, /*stride=*/2);
  const auto numbers = [&] { return torch::randn({40}, generator); };
  Norm norm{numbers(), numbers(), numbers(), numbers().abs()};
  for (const auto kernels : {Kernels::kOwn, Kernels::kLibtorch})
    for (const bool gradients : {false, true})
      for (const bool training : {false, true})
        for (const int64_t images : {1, 20}) {
          SCOPED_TRACE(testing::Message() << to_string(kernels) << (gradients ? " gradients" : "")
                                          << (training ? " training " : " ") << images);
          const KernelScope scope(kernels);
          const torch::AutoGradMode mode(gradients);
          norm.training = training;
          const auto maps = normal_maps({images, 16, 7, 9});
          const auto expect = [&](const auto& found, const torch::Tensor& given, double slope) {
            // Running statistics move when training, in the copies alone.
            auto still = norm;
            still.running_mean = norm.running_mean.clone();
            still.running_var = norm.running_var.clone();
            const auto exact = exactly(given.detach(), still, slope).to(torch::kFloat);
            EXPECT_TRUE(found(still, slope).detach().allclose(exact, 1e-4, 1e-4)) << slope;
          };
          expect([&](const Norm& n, double s) { return layer->forward_activated(maps, n, s); },
                 layer(maps), 0.1);
          expect([&](const Norm& n, double s) { return halving->forward_activated(maps, n, s); },
                 halving(maps), 0);
          expect(
              [&](const Norm& n, double s) { return layer->forward_pooled_activated(maps, n, s); },
              layer->forward_pooled(maps), 0);
        }
}

TEST(WeightAllowance, CountsAllConvolutionsOfTheThread) {
  {
    const WeightAllowance allowance(int64_t{2} * 9 * 4 * 4);
    convolution(4, 4, 3);
    convolution(4, 4, 3);
    EXPECT_THAT(
        error_of([] { convolution(1, 1, 1); }),
        testing::HasSubstr("the described network is larger than its weights are: expected a "
                           "file as penumbra wrote it"));
    std::thread([] { EXPECT_NO_THROW(convolution(64, 64, 3)); }).join();
  }
  EXPECT_NO_THROW(convolution(64, 64, 3));
}

TEST(BatchNorm, FollowsABatchByItsMomentum) {
  auto norm = batch_norm(2, 0.25);
  const auto maps = torch::full({4, 2, 3, 3}, 8.0F).contiguous(torch::MemoryFormat::ChannelsLast);
  activate(norm, maps, 0);
  EXPECT_TRUE(norm->running_mean.allclose(torch::full({2}, 2.0F)));  // 0.75 0 + 0.25 8
  EXPECT_TRUE(norm->running_var.allclose(torch::full({2}, 0.75F)));  // of values that are all alike
  EXPECT_EQ(norm->num_batches_tracked.item<int64_t>(), 1);
  norm->eval();
  activate(norm, maps, 0);
  EXPECT_EQ(norm->num_batches_tracked.item<int64_t>(), 1);
  EXPECT_TRUE(norm->running_mean.allclose(torch::full({2}, 2.0F)));
}

// In evaluation: (x - mean) / sqrt(variance + 1e-5), below zero times the slope.
TEST(Activate, LetsAShareOfWhatIsNegativePass) {
  auto norm = batch_norm(1, 0.1);
  norm->eval();
  const torch::NoGradGuard no_gradient;
  norm->running_mean.fill_(1);
  norm->running_var.fill_(4);
  const auto maps = torch::tensor({5.0F, 1.0F, -3.0F, 1.0F}).reshape({1, 1, 2, 2});
  EXPECT_TRUE(activate(norm, maps, 0.1)
                  .flatten()
                  .allclose(torch::tensor({2.0F, 0.0F, -0.2F, 0.0F}), 1e-4, 1e-5));
  EXPECT_TRUE(activate(norm, maps, 0)
                  .flatten()
                  .allclose(torch::tensor({2.0F, 0.0F, 0.0F, 0.0F}), 1e-4, 1e-5));
}

TEST(AverageOverPlaces, IsTheMeanOfEachMap) {
  const auto maps = torch::arange(24, torch::kFloat).reshape({2, 3, 2, 2});
  EXPECT_TRUE(
      average_over_places(maps).equal(torch::tensor({{1.5F, 5.5F, 9.5F}, {13.5F, 17.5F, 21.5F}})));
}

}  // namespace
}  // namespace penumbra
