#include "penumbra/model/weights.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

namespace penumbra {
namespace {

namespace nn = torch::nn;

nn::Sequential three_layers() {
  return nn::Sequential(nn::Conv2d(nn::Conv2dOptions(16, 64, {3, 5})), nn::BatchNorm2d(64),
                        nn::Linear(200, 300));
}

TEST(Weights, HaveTheVarianceOfTheirFan) {
  auto layers = three_layers();
  draw_weights(*layers, make_generator(1));
  const auto& convolution = *layers[0]->as<nn::Conv2d>();
  // 2 / (3 * 5 * 64) and, of 200 inputs and 300 outputs, 2 / 500
  EXPECT_NEAR(convolution.weight.var().item<double>(), 2.0 / 960, 0.05 * 2 / 960);
  EXPECT_NEAR(convolution.weight.mean().item<double>(), 0, 0.002);
  EXPECT_EQ(convolution.bias.abs().max().item<double>(), 0);
  const auto& linear = *layers[2]->as<nn::Linear>();
  EXPECT_NEAR(linear.weight.var().item<double>(), 2.0 / 500, 0.05 * 2 / 500);
  EXPECT_EQ(linear.bias.abs().max().item<double>(), 0);
}

TEST(Weights, BatchNormStartsAsIfItWereNotThere) {
  auto layers = three_layers();
  auto& norm = *layers[1]->as<nn::BatchNorm2d>();
  norm.forward(torch::ones({2, 64, 4, 4}) * 7);  // moves the statistics
  const torch::NoGradGuard no_gradient;
  norm.weight.fill_(3);
  norm.bias.fill_(4);
  draw_weights(*layers, make_generator(1));
  EXPECT_TRUE(norm.weight.eq(1).all().item<bool>());
  EXPECT_TRUE(norm.bias.eq(0).all().item<bool>());
  EXPECT_TRUE(norm.running_mean.eq(0).all().item<bool>());
  EXPECT_TRUE(norm.running_var.eq(1).all().item<bool>());
}

TEST(Weights, ComeFromTheirGeneratorAlone) {
  auto one = three_layers(), same = three_layers(), other = three_layers();
  draw_weights(*one, make_generator(5));
  torch::rand({100});  // somebody else draws
  draw_weights(*same, make_generator(5));
  draw_weights(*other, make_generator(6));
  for (std::size_t i = 0; i < one->parameters().size(); ++i)
    EXPECT_TRUE(one->parameters()[i].equal(same->parameters()[i])) << i;
  EXPECT_FALSE(one->parameters()[0].equal(other->parameters()[0]));
}

TEST(Weights, LayersWithoutABiasAreDrawnToo) {
  nn::Sequential layers(nn::Conv2d(nn::Conv2dOptions(3, 4, 3).bias(false)),
                        nn::Linear(nn::LinearOptions(4, 5).bias(false)));
  const auto before = layers->parameters()[1].detach().clone();
  draw_weights(*layers, make_generator(1));
  EXPECT_EQ(layers->parameters().size(), 2U);
  EXPECT_FALSE(layers->parameters()[1].equal(before));
}

TEST(GlobalGeneratorScope, WhatIsDrawnWithinItWasNeverDrawn) {
  const auto before = at::detail::getDefaultCPUGenerator().get_state();
  {
    const GlobalGeneratorScope scope;
    torch::rand({10});
    EXPECT_FALSE(before.equal(at::detail::getDefaultCPUGenerator().get_state()));
  }
  EXPECT_TRUE(before.equal(at::detail::getDefaultCPUGenerator().get_state()));
}

TEST(DrawOrthogonal, RowsOrColumnsAreAtRightAngles) {
  for (const auto& [rows, columns] :
       std::vector<std::pair<int64_t, int64_t>>{{3, 8}, {8, 3}, {5, 5}, {1, 4}, {4, 1}, {1, 1}}) {
    const auto drawn = draw_orthogonal(rows, columns, make_generator(1));
    ASSERT_EQ(drawn.sizes(), torch::IntArrayRef({rows, columns}));
    const auto few = rows < columns ? drawn : drawn.t();
    EXPECT_TRUE(few.matmul(few.t()).allclose(torch::eye(few.size(0)), 0, 1e-5));
    EXPECT_TRUE(drawn.is_contiguous());
  }
}

// LAPACK's Q has signs that follow from the algorithm: the first entries would all be negative.
TEST(DrawOrthogonal, EverySignIsEquallyLikely) {
  auto generator = make_generator(2);
  int positive = 0;
  for (int i = 0; i < 400; ++i)
    positive += draw_orthogonal(4, 4, generator)[0][0].item<double>() > 0 ? 1 : 0;
  EXPECT_NEAR(positive, 200, 40);  // four deviations of sqrt(400) / 2 = 10
}

}  // namespace
}  // namespace penumbra
