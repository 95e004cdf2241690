// One function in the place of two must say what libtorch's two say.

#include "penumbra/model/norm_activation.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/function.h>

#include "penumbra/model/weights.h"

namespace penumbra {
namespace {

struct Case {
  Norm norm;
  torch::Tensor maps, direction;
};

Case make(std::vector<int64_t> shape, torch::ScalarType type, bool factor) {
  auto generator = make_generator(3);
  const auto channels = shape[1];
  const auto vector = [&](double offset) {
    return (offset + 0.3 * torch::randn({channels}, generator)).requires_grad_();
  };
  Case made;
  made.maps = (2 + 1.5 * torch::randn(shape, generator))
                  .to(type)
                  .contiguous(torch::MemoryFormat::ChannelsLast);
  made.direction = torch::randn(shape, generator);
  if (factor) made.norm.weight = vector(1);
  made.norm.bias = vector(0);
  made.norm.running_mean = torch::zeros({channels});
  made.norm.running_var = torch::ones({channels});
  made.norm.training = true;
  return made;
}

struct Result {
  torch::Tensor out, maps, weight, bias, mean, variance;
};

// In double and by libtorch where `exact`.
Result run(const Case& given, double slope, bool exact) {
  const auto convert = [&](const torch::Tensor& tensor) {
    if (!tensor.defined()) return tensor;
    const auto copy = exact ? tensor.detach().to(torch::kDouble) : tensor.detach().clone();
    return copy.requires_grad_(tensor.requires_grad());
  };
  auto norm = given.norm;
  norm.weight = convert(norm.weight);
  norm.bias = convert(norm.bias);
  norm.running_mean = convert(norm.running_mean);
  norm.running_var = convert(norm.running_var);
  auto maps = convert(given.maps);
  maps.requires_grad_();
  const auto out = norm_activation(maps, norm, slope);
  EXPECT_EQ(out.grad_fn()->name().find("NormActivation") != std::string::npos, !exact);
  (out * given.direction.to(out)).sum().backward();
  return {out.detach(),
          maps.grad(),
          norm.weight.defined() ? norm.weight.grad() : torch::Tensor(),
          norm.bias.grad(),
          norm.running_mean,
          norm.running_var};
}

void expect_close(const torch::Tensor& found, const torch::Tensor& exact, double tolerance,
                  const char* what) {
  const auto difference = (found.to(torch::kDouble) - exact).abs().max().item<double>();
  EXPECT_LT(difference, tolerance * (1 + exact.abs().max().item<double>())) << what;
}

TEST(NormActivation, AgreesWithLibtorchInOutputsGradientsAndStatistics) {
  // Rows in one piece and in several, channels that fill vectors and that do not.
  for (const auto& shape : {std::vector<int64_t>{2, 5, 3, 4}, {8, 16, 16, 16}, {3, 33, 40, 11}})
    for (const double slope : {0.0, 0.1, 1.0})
      for (const bool factor : {true, false}) {
        const auto given = make(shape, torch::kFloat, factor);
        const auto found = run(given, slope, false), exact = run(given, slope, true);
        expect_close(found.out, exact.out, 1e-5, "out");
        expect_close(found.maps, exact.maps, 1e-5, "gradient of maps");
        if (factor) expect_close(found.weight, exact.weight, 1e-5, "gradient of weight");
        expect_close(found.bias, exact.bias, 1e-5, "gradient of bias");
        expect_close(found.mean, exact.mean, 1e-6, "running mean");
        expect_close(found.variance, exact.variance, 1e-6, "running variance");
      }
}

TEST(NormActivation, OfOneValueOfEachChannelHasNoVarianceAndStaysFinite) {
  const auto given = make({1, 8, 1, 1}, torch::kFloat, true);
  for (const bool exact : {false, true}) {
    const auto found = run(given, 0.1, exact);
    EXPECT_TRUE(torch::allclose(found.variance.to(torch::kFloat), torch::full({8}, 0.9F)));
    EXPECT_TRUE(torch::allclose(found.out.flatten().to(torch::kFloat),
                                torch::leaky_relu(given.norm.bias.detach(), 0.1), 0, 1e-3));
    EXPECT_TRUE(found.maps.isfinite().all().item<bool>());
  }
}

TEST(NormActivation, RoundsBfloat16OnlyAtTheEnd) {
  const auto given = make({8, 24, 9, 9}, torch::kBFloat16, true);
  const auto found = run(given, 0.1, false), exact = run(given, 0.1, true);
  EXPECT_EQ(found.out.scalar_type(), torch::kBFloat16);
  EXPECT_EQ(found.maps.scalar_type(), torch::kBFloat16);
  expect_close(found.out, exact.out, 0.005, "out");
  expect_close(found.maps, exact.maps, 0.005, "gradient of maps");
  expect_close(found.weight, exact.weight, 0.005, "gradient of weight");
  expect_close(found.mean, exact.mean, 1e-5, "running mean");
}

TEST(NormActivation, UsesRunningStatisticsInEvaluation) {
  for (const bool factor : {false, true}) {
    auto given = make({4, 8, 5, 5}, torch::kFloat, factor);
    given.norm.training = false;
    given.norm.running_mean = torch::linspace(-1, 3, 8);
    given.norm.running_var = torch::linspace(0.01, 4, 8);
    const auto with_gradient = norm_activation(given.maps, given.norm, 0.1);
    const torch::NoGradGuard no_gradient;
    const auto found = norm_activation(given.maps, given.norm, 0.1);
    const auto exact = torch::leaky_relu(
        torch::batch_norm(given.maps, given.norm.weight, given.norm.bias, given.norm.running_mean,
                          given.norm.running_var, false, 0.1, 1e-5, false),
        0.1);
    EXPECT_TRUE(torch::allclose(found, exact, 1e-5, 1e-6));
    EXPECT_TRUE(found.equal(with_gradient));
    EXPECT_TRUE(given.norm.running_mean.equal(torch::linspace(-1, 3, 8)));
  }
}

TEST(NormActivation, HasTheSameBitsWithAnyNumberOfThreads) {
  const auto given = make({16, 32, 16, 16}, torch::kFloat, true);
  const auto threads = at::get_num_threads();
  at::set_num_threads(1);
  const auto one = run(given, 0.1, false);
  at::set_num_threads(2);
  const auto two = run(given, 0.1, false);
  at::set_num_threads(threads);
  EXPECT_TRUE(one.out.equal(two.out));
  EXPECT_TRUE(one.maps.equal(two.maps));
  EXPECT_TRUE(one.weight.equal(two.weight));
}

}  // namespace
}  // namespace penumbra
