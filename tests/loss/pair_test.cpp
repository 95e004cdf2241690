#include "penumbra/loss/pair.h"

#include "tests/finite_difference.h"
#include "tests/golden_values.h"

namespace penumbra {
namespace {

torch::Tensor targets() { return golden_logits().slice(0, 0, 12).softmax(1); }

TEST(PairLoss, CountsOnlyPairsOfSureAndAlikeLabels) {
  const auto logits = torch::tensor({{9.0, 0.0}, {0.0, 9.0}, {9.0, 0.0}});
  const auto sure = torch::tensor({{1.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}});
  // Of six ordered pairs two are alike, (0, 1) and (1, 0); image 1 is predicted wrongly, so that
  // one of them is all apart.
  EXPECT_NEAR(loss::pair_loss(logits, sure, 0.95, 0.9).item<double>(), 1.0 / 3, 0.02);
  EXPECT_EQ(loss::pair_loss(logits, torch::full({3, 2}, 0.5), 0.95, 0.9).item<double>(), 0);
  EXPECT_EQ(loss::pair_loss(logits.slice(0, 0, 1), sure.slice(0, 0, 1), 0.95, 0.9).item<double>(),
            0);
}

TEST(PairLoss, HasTheGradientOfFiniteDifferences) {
  const auto q = targets();
  expect_gradient_of_differences(
      [&](const torch::Tensor& logits) { return loss::pair_loss(logits, q, 0.3, 0.5); },
      golden_logits().slice(0, 20, 32));
}

// Two images whose labels are alike and whose predictions are their labels cost nothing.
TEST(PairLoss, OfPredictionsThatAreTheLabelsIsNothing) {
  const auto labels = torch::tensor({{1.0, 0.0}, {1.0, 0.0}}, torch::kDouble);
  const auto logits = torch::tensor({{60.0, 0.0}, {60.0, 0.0}}, torch::kDouble);
  EXPECT_NEAR(loss::pair_loss(logits, labels, 0.5, 0.5).item<double>(), 0, 1e-9);
}

// One pair, both ways: s = BC(q, q) = 1, p = (1/2, 1/2), BC(p, q) = sqrt(1/2); 2 (1 - sqrt(1/2))
// / 1.
TEST(PairLoss, OfOnePairIsWhatTheFormulaSays) {
  const auto labels = torch::tensor({{1.0, 0.0}, {1.0, 0.0}}, torch::kDouble);
  EXPECT_NEAR(
      loss::pair_loss(torch::zeros({2, 2}, torch::kDouble), labels, 0.5, 0.5).item<double>(),
      2 * (1 - std::sqrt(0.5)), 1e-12);
}

}  // namespace
}  // namespace penumbra
