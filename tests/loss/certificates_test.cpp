#include "penumbra/loss/certificates.h"

#include "tests/finite_difference.h"
#include "tests/golden_values.h"

namespace penumbra {
namespace {

using loss::OrthogonalityNorm;

TEST(Certificates, AgreeWithPython) {
  const auto logits = golden_logits();
  const auto c = logits.slice(0, 0, 3).slice(1, 0, 5), phi = logits.slice(0, 5, 13).slice(1, 0, 5);
  const auto expected = golden("losses.json");
  EXPECT_NEAR(loss::certificate_loss(phi.matmul(c.t())).item<double>(),
              expected["certificate_loss"].get<double>(), 1e-12);
  for (const auto& [norm, name] : {std::pair(OrthogonalityNorm::kSquaredFrobenius, "fro2"),
                                   std::pair(OrthogonalityNorm::kFrobenius, "fro"),
                                   std::pair(OrthogonalityNorm::kMeanSquare, "mean_sq")}) {
    EXPECT_NEAR(loss::orthogonality(c, norm).item<double>(), expected[name].get<double>(), 1e-9)
        << name;
    expect_gradient_of_differences(
        [&, which = norm](const torch::Tensor& x) { return loss::orthogonality(x, which); }, c / 3,
        1e-5);
  }
}

TEST(Certificates, TheirLossHasTheGradientOfItsDifferences) {
  const auto logits = golden_logits();
  const auto c = logits.slice(0, 0, 3).slice(1, 0, 5), phi = logits.slice(0, 5, 13).slice(1, 0, 5);
  expect_gradient_of_differences(
      [&](const torch::Tensor& x) { return loss::certificate_loss(phi.matmul(x.t())); }, c);
  expect_gradient_of_differences(
      [&](const torch::Tensor& x) { return loss::certificate_loss(x.matmul(c.t())); }, phi);
}

// One certificate of length n^(1/2) along a feature direction of energy m settles at n = 1 - m / (2
// k lambda) with fro2 and at 1 - m k / (2 lambda) with mean_sq: there it vanishes.
TEST(Certificates, VanishUnderTheMeanOfSquaresAndNotUnderFro2) {
  const auto settle = [](OrthogonalityNorm norm) {
    const int64_t k = 10;
    const double lambda = 0.1, energy = 0.5;
    auto c = torch::eye(k, torch::kDouble).requires_grad_();
    for (int step = 0; step < 4000; ++step) {
      const auto loss = c.square().sum() * energy / k + lambda * loss::orthogonality(c, norm);
      loss.backward();
      c = (c - 0.05 * c.grad()).detach().requires_grad_();
    }
    return c.square().sum(1).mean().item<double>();
  };
  EXPECT_NEAR(settle(OrthogonalityNorm::kSquaredFrobenius), 1 - 0.5 / (2 * 10 * 0.1), 1e-3);
  EXPECT_LT(settle(OrthogonalityNorm::kMeanSquare), 1e-3);
}

TEST(Certificates, ThatAreOrthonormalCostNothing) {
  const auto c = torch::eye(3, torch::kDouble).slice(0, 0, 2);
  for (const auto norm : {OrthogonalityNorm::kSquaredFrobenius, OrthogonalityNorm::kFrobenius,
                          OrthogonalityNorm::kMeanSquare})
    EXPECT_EQ(loss::orthogonality(c, norm).item<double>(), 0);
}

// Twice as long rows: C C^T - I is 3 I, of two rows 3^2 + 3^2 = 18, its root, or a quarter of it.
TEST(Certificates, ThatAreTooLongCostWhatTheFormulaSays) {
  const auto c = 2 * torch::eye(3, torch::kDouble).slice(0, 0, 2);
  EXPECT_DOUBLE_EQ(loss::orthogonality(c, OrthogonalityNorm::kSquaredFrobenius).item<double>(), 18);
  EXPECT_DOUBLE_EQ(loss::orthogonality(c, OrthogonalityNorm::kFrobenius).item<double>(),
                   std::sqrt(18.0));
  EXPECT_DOUBLE_EQ(loss::orthogonality(c, OrthogonalityNorm::kMeanSquare).item<double>(), 4.5);
  EXPECT_DOUBLE_EQ(loss::certificate_loss(torch::tensor({{1.0, 2.0}, {0.0, 3.0}}, torch::kDouble))
                       .item<double>(),
                   14.0 / 4);
}

}  // namespace
}  // namespace penumbra
