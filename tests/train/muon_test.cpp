#include "penumbra/train/muon.h"

#include "penumbra/model/precision.h"
#include "penumbra/model/weights.h"
#include "tests/expect_error.h"
#include "tests/golden_values.h"

namespace penumbra {
namespace {

// As in tests/golden/make_muon.py.
torch::Tensor wave(at::IntArrayRef shape, double a, double b) {
  int64_t count = 1;
  for (const auto size : shape) count *= size;
  return (a * torch::arange(count, torch::kDouble) + b).sin().reshape(shape);
}

torch::optim::SGDOptions options_of(double lr, double momentum) {
  return torch::optim::SGDOptions(lr).momentum(momentum).nesterov(momentum > 0);
}

// Three steps from that script's start.
torch::Tensor trained(at::IntArrayRef shape, torch::MemoryFormat layout) {
  auto kernel = wave(shape, 1.3, 0.2).contiguous(layout).requires_grad_();
  Muon muon(std::vector<torch::Tensor>{kernel}, options_of(0.03, 0.9));
  for (int step = 0; step < 3; ++step) {
    kernel.mutable_grad() = wave(shape, 0.7 + step, 0.5).contiguous(layout);
    muon.step();
    EXPECT_FALSE(kernel.grad().defined());
  }
  return kernel.detach();
}

TEST(Muon, StepsAreThoseOfSingularValues) {
  const auto expected = golden("muon.json");
  for (const auto layout : {torch::MemoryFormat::Contiguous, torch::MemoryFormat::ChannelsLast})
    for (const auto& [name, shape] : std::map<std::string, std::vector<int64_t>>{
             {"wide", {6, 4, 3, 3}}, {"tall", {40, 4, 1, 1}}}) {
      const auto values = expected[name].get<std::vector<double>>();
      const auto kernel = trained(shape, layout);
      EXPECT_TRUE(kernel.flatten().allclose(torch::tensor(values, torch::kDouble), 1e-9, 1e-11))
          << name;
      EXPECT_TRUE(kernel.is_contiguous(layout)) << name;
    }
}

// A matrix with singular values 1 to 4 has them level afterwards, and the same directions.
TEST(Muon, DirectionsOfDifferentStrengthBecomeLevel) {
  const auto [left, r] = torch::linalg_qr(wave({4, 4}, 2.1, 0.3));
  const auto [right, r2] = torch::linalg_qr(wave({9, 4}, 1.7, 0.1));
  const auto strengths = torch::tensor({4.0, 3.0, 2.0, 1.0}, torch::kDouble);
  const auto level = nearly_orthogonal(left.matmul(strengths.diag()).matmul(right.t()));
  const auto seen = left.t().matmul(level).matmul(right);
  EXPECT_TRUE(seen.allclose(seen.diagonal().diag(), 1e-9, 1e-9));
  EXPECT_GT(seen.diagonal().min().item<double>(), 0.6);
  EXPECT_LT(seen.diagonal().max().item<double>(), 1.3);
}

// Products in bfloat16 turn a step by less than a batch of pictures does by being another one.
TEST(Muon, ProductsInHalfTheDigitsAreNearlyTheSame) {
  if (fastest_precision() != Precision::kBf16) GTEST_SKIP() << "no instructions for bf16 here";
  for (const auto& shape : std::vector<std::vector<int64_t>>{{64, 216}, {256, 1152}, {300, 64}}) {
    const auto matrix = torch::randn(shape, make_generator(1));
    const auto exact = nearly_orthogonal(matrix);
    const AutocastScope scope(Precision::kBf16, torch::kCPU);
    const auto rough = nearly_orthogonal(matrix);
    EXPECT_EQ(rough.scalar_type(), torch::kFloat);
    EXPECT_GT(torch::cosine_similarity(rough.flatten(), exact.flatten(), 0).item<double>(), 0.999);
    EXPECT_NEAR((rough.norm() / exact.norm()).item<double>(), 1, 0.02);
    EXPECT_FALSE(rough.equal(exact));
  }
}

TEST(Muon, OtherWeightsGoBySgd) {
  auto ours = wave({3, 5}, 1.1, 0).requires_grad_();
  auto theirs = ours.detach().clone().requires_grad_();
  Muon muon(std::vector<torch::Tensor>{ours}, options_of(0.1, 0.9));
  torch::optim::SGD sgd(std::vector<torch::Tensor>{theirs}, options_of(0.1, 0.9));
  for (int step = 0; step < 2; ++step) {
    ours.mutable_grad() = wave({3, 5}, 0.9 + step, 0);
    theirs.mutable_grad() = ours.grad().clone();
    muon.step();
    sgd.step();
  }
  EXPECT_TRUE(ours.equal(theirs));
}

TEST(Muon, AGradientOfZerosChangesNothing) {
  auto kernel = wave({2, 3, 3, 3}, 1.1, 0).requires_grad_();
  const auto before = kernel.detach().clone();
  Muon muon(std::vector<torch::Tensor>{kernel}, options_of(0.1, 0.9));
  kernel.mutable_grad() = torch::zeros_like(kernel);
  muon.step();
  EXPECT_TRUE(kernel.allclose(before, 1e-12, 0));
  muon.step();  // without any
  EXPECT_TRUE(kernel.allclose(before, 1e-12, 0));
}

}  // namespace
}  // namespace penumbra
