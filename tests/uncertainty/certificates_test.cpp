#include "penumbra/uncertainty/certificates.h"

#include <gtest/gtest.h>

#include "penumbra/loss/certificates.h"
#include "penumbra/model/weights.h"
#include "tests/golden_values.h"

namespace penumbra {
namespace {

TEST(FitCertificates, AreTheEigenvectorsThatNumPyFinds) {
  const auto features = golden_logits().slice(0, 5, 13).slice(1, 0, 5);
  const auto certificates = fit_certificates(features, 2).to(torch::kDouble);
  EXPECT_TRUE(
      certificates.matmul(certificates.t()).allclose(torch::eye(2, torch::kDouble), 0, 1e-6));
  const auto scores = certificate_scores(features, certificates);
  const auto expected = golden("losses.json")["scores"];
  for (int64_t i = 0; i < 8; ++i)
    EXPECT_NEAR(scores[i].item<double>(), expected[i].get<double>(), 1e-6);
}

// Gradient descent on L_UE with fixed features ends in the same subspace.
TEST(FitCertificates, AreWhereGradientDescentEnds) {
  auto generator = make_generator(3);
  constexpr int64_t kFeatures = 8, k = 3;
  // A clear gap behind the third smallest energy.
  const auto energy = torch::tensor({0.01, 0.02, 0.03, 1.0, 1.5, 2.0, 2.5, 3.0}, torch::kDouble);
  const auto turn = draw_orthogonal(kFeatures, kFeatures, generator).to(torch::kDouble);
  const auto features =
      (torch::randn({400, kFeatures}, generator, torch::kDouble) * energy.sqrt()).matmul(turn);
  const auto exact = fit_certificates(features, k).to(torch::kDouble);
  auto c = draw_orthogonal(k, kFeatures, generator).to(torch::kDouble).requires_grad_();
  for (int step = 0; step < 3000; ++step) {
    (loss::certificate_loss(features.matmul(c.t())) +
     loss::orthogonality(c, loss::OrthogonalityNorm::kSquaredFrobenius))
        .backward();
    c = (c - 0.05 * c.grad()).detach().requires_grad_();
  }
  // Cosines of the angles between the two subspaces.
  const auto unit = std::get<0>(torch::linalg_qr(c.detach().t())).t();
  const auto cosines = torch::linalg_svdvals(unit.matmul(exact.t()));
  EXPECT_GT(cosines.min().item<double>(), 0.999);
}

// Features in a plane: every direction at right angles to it is zero on them.
TEST(FitCertificates, AreZeroOnWhatTheyWereFittedTo) {
  auto features = torch::zeros({50, 6});
  features.slice(1, 0, 2).normal_(0, 1, make_generator(4));
  const auto certificates = fit_certificates(features, 4);
  EXPECT_EQ(certificates.sizes(), torch::IntArrayRef({4, 6}));
  EXPECT_EQ(certificates.scalar_type(), torch::kFloat);
  EXPECT_LT(certificate_scores(features, certificates).max().item<double>(), 1e-10);
  // A stranger of length one, off the plane: 1/4 sum_j (c_j phi)^2 = 1/4.
  const auto stranger = torch::eye(6).slice(0, 5, 6);
  EXPECT_NEAR(certificate_scores(stranger, certificates)[0].item<double>(), 0.25, 1e-5);
}

TEST(FitCertificates, AllOfThemMeasureTheLength) {
  const auto features = torch::randn({30, 5}, make_generator(5));
  const auto certificates = fit_certificates(features, 5);
  EXPECT_TRUE(certificate_scores(features, certificates)
                  .allclose(features.square().sum(1) / 5, 1e-4, 1e-5));
}

TEST(CertificateScores, GrowWithTheSquareOfTheLength) {
  const auto certificates = torch::tensor({{1.0F, 0.0F}, {0.0F, 1.0F}});
  const auto scores = certificate_scores(torch::tensor({{3.0F, 4.0F}, {6.0F, 8.0F}}), certificates);
  EXPECT_FLOAT_EQ(scores[0].item<float>(), 12.5F);
  EXPECT_FLOAT_EQ(scores[1].item<float>(), 50.0F);
}

}  // namespace
}  // namespace penumbra
