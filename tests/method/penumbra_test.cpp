#include <cmath>

#include "penumbra/data/images.h"
#include "penumbra/method/complement.h"
#include "penumbra/method/method.h"
#include "tests/expect_error.h"
#include "tests/golden_values.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

// An identity "network": the images are logits and features; the heads are given.
Forward network(const torch::Tensor& variance, const torch::Tensor& certificates,
                const torch::Tensor& variance_bias = {}) {
  return Forward(
      [=](const torch::Tensor& x) {
        return Output{x, x, {{"variance", x}, {"certificates", x.matmul(certificates.t())}}};
      },
      [=](const std::string& name) {
        return name == "variance" ? HeadWeights{variance, variance_bias}
                                  : HeadWeights{certificates, {}};
      });
}

Forward golden_network() {
  const auto eye = torch::eye(7, torch::kDouble);
  return network(eye, eye.slice(0, 0, 3));
}

// One labelled image and ten unlabelled ones with two weak views and one strong view.
Batch golden_batch() {
  const auto logits = golden_logits();
  Batch batch;
  batch.images = logits.slice(0, 30, 31);
  batch.labels = torch::tensor({2}, torch::kLong);
  batch.strong = {logits.slice(0, 20, 30)};
  batch.weak = {logits.slice(0, 0, 10), logits.slice(0, 10, 20)};
  batch.index = torch::arange(10, torch::kLong);
  batch.all = torch::cat({batch.images, batch.strong[0], batch.weak[0], batch.weak[1]});
  return batch;
}

Step golden_step(Options options) {
  options.set("strong", "1");
  options.set("threshold", "0.45");
  const auto method = make_method("penumbra", options);
  return method->step(golden_network(), golden_network(), golden_batch());
}

TEST(Penumbra, MaskAndTargetsAreThoseOfPython) {
  const auto step = golden_step({});
  const auto expected = golden("losses.json");
  for (int64_t i = 0; i < 10; ++i) {
    EXPECT_EQ(step.evidence.mask[i].item<double>(), expected["mask"][i].get<double>());
    for (int64_t j = 0; j < 7; ++j)
      EXPECT_NEAR(step.evidence.targets[i][j].item<double>(),
                  expected["sharpened"][i][j].get<double>(), 1e-12);
  }
}

TEST(Penumbra, TheLossIsTheSumOfItsParts) {
  const auto step = golden_step({{"l_ua", "5"}, {"l_ue", "2"}});
  EXPECT_NEAR(step.loss.item<double>(),
              step.report.at("loss/supervised") + 5 * step.report.at("loss/aleatoric") +
                  2 * step.report.at("loss/epistemic"),
              1e-9);
}

TEST(Penumbra, WithoutAVarianceTheAleatoricLossIsHalfOrAllOfTheSquaredError) {
  const double half = golden_step({{"ua_loss", "half_mse"}}).report.at("loss/aleatoric");
  const double whole = golden_step({{"ua_loss", "mse"}}).report.at("loss/aleatoric");
  const double none = golden_step({{"variance", "none"}}).report.at("loss/aleatoric");
  EXPECT_NEAR(whole, 2 * half, 1e-12);
  EXPECT_EQ(none, half);
  const auto step = golden_step({{"ua_loss", "mse"}});
  const auto residual = step.evidence.targets - step.evidence.strong_logits.softmax(1);
  EXPECT_NEAR(whole, (residual.square().mean(1) * step.evidence.mask).mean().item<double>(), 1e-12);
}

TEST(Penumbra, SumsOverClassesAndDividesByWhatIsKeptWhenAsked) {
  const auto of = [](const char* key, const char* value) {
    Options options{{"ua_loss", "mse"}};
    options.set(key, value);
    return golden_step(options).report.at("loss/aleatoric");
  };
  const double usual = of("ua_reduce", "mean");
  EXPECT_NEAR(of("ua_reduce", "sum"), 7 * usual, 1e-12);
  EXPECT_NEAR(of("ua_normaliser", "kept"), usual / golden_step({}).report.at("mask"), 1e-9);
}

TEST(Penumbra, TheMaskCanLookAtTheRawGuessOrTheStrongView) {
  const auto kept = [](const char* key, const char* value) {
    Options options;
    options.set(key, value);
    return golden_step(options).report.at("mask");
  };
  const auto raw = golden_logits();
  const auto guess = (raw.slice(0, 0, 10).softmax(1) + raw.slice(0, 10, 20).softmax(1)) / 2;
  const auto share = [](const torch::Tensor& p) {
    return (p.amax(1) > 0.45).to(torch::kDouble).mean().item<double>();
  };
  EXPECT_NEAR(kept("mask_on", "raw"), share(guess), 1e-12);
  EXPECT_NEAR(kept("mask_view", "strong"), share(raw.slice(0, 20, 30).softmax(1)), 1e-12);
  // What is counted as a pseudo-label is what is learnt.
  const auto step = golden_step({{"mask_view", "strong"}});
  EXPECT_TRUE((step.pseudo_labels != kUnlabelled).equal(step.evidence.mask > 0));
}

TEST(Penumbra, SoftLabelsCanBeSoftOrHard) {
  EXPECT_EQ(golden_step({{"pseudo", "hard"}}).evidence.targets.amax().item<double>(), 1);
  EXPECT_LT(golden_step({{"pseudo", "soft"}}).evidence.targets.amax().item<double>(),
            golden_step({}).evidence.targets.amax().item<double>());
}

TEST(Penumbra, LUeIsUnmaskedAndCanBeKeptFromTheFeatures) {
  const auto batch = golden_batch();
  const auto rows = torch::cat({batch.images, batch.strong[0]}).slice(1, 0, 3);
  EXPECT_NEAR(golden_step({{"lambda", "0"}}).report.at("loss/epistemic"),
              rows.square().mean().item<double>(), 1e-12);
  for (const bool reaches : {true, false}) {
    Options options{{"l_ua", "0"}, {"ue_grad_features", reaches ? "true" : "false"}};
    options.set("strong", "1");
    const auto all = golden_batch().all.requires_grad_();
    auto moved = golden_batch();
    moved.all = all;
    make_method("penumbra", options)
        ->step(golden_network(), golden_network(), moved)
        .loss.backward();
    const auto of_strong = all.grad().slice(0, 1, 11).abs().sum().item<double>();
    EXPECT_EQ(of_strong > 0, reaches);
  }
}

// In `paper` with probabilities u can only fall, from any start; `log` follows the residual.
TEST(Penumbra, TheVarianceOfThePaperFallsToOneForEveryImage) {
  const auto eye = torch::eye(7, torch::kDouble);
  auto bias = torch::zeros({7}, torch::kDouble).requires_grad_();
  Options options{{"strong", "1"}, {"threshold", "0"}, {"l_ue", "0"}};
  const auto method = make_method("penumbra", options);
  double first = 0, last = 0;
  for (int i = 0; i < 300; ++i) {
    const auto student = network(torch::zeros_like(eye), eye, bias);
    const auto step = method->step(student, student, golden_batch());
    step.loss.backward();
    bias = (bias - 0.05 * bias.grad()).detach().requires_grad_();
    if (i == 0) first = step.report.at("variance/mean_u");
    last = step.report.at("variance/mean_u");
  }
  EXPECT_NEAR(first, 0.5, 1e-9);
  EXPECT_LT(last, 0.05);
}

TEST(Penumbra, WithVarianceLogUntrustedViewsTeachTheVarianceAlone) {
  Options options{{"variance", "log"},
                  {"variance_samples", "all"},
                  {"threshold", "1"},
                  {"strong", "1"},
                  {"l_ue", "0"}};
  auto head = torch::zeros({7, 7}, torch::kDouble).requires_grad_();
  auto batch = golden_batch();
  batch.all = batch.all.detach().requires_grad_();
  const auto student = network(head, torch::eye(7, torch::kDouble));
  Options detached = options;
  detached.set("variance_grad_features", "false");
  make_method("penumbra", detached)->step(student, student, batch).loss.backward();
  EXPECT_GT(head.grad().abs().sum().item<double>(), 0);
  EXPECT_EQ(batch.all.grad().slice(0, 1, 11).abs().sum().item<double>(), 0);
}

// What unlabelled images add to the loss at this share of the run.
double unsupervised_loss(Method& method, double progress) {
  auto batch = golden_batch();
  batch.progress = progress;
  const auto made = method.step(golden_network(), golden_network(), batch);
  return made.loss.item<double>() - made.report.at("loss/supervised");
}

TEST(Penumbra, TheRampRaisesTheWeightFromNothing) {
  Options options{{"strong", "1"}, {"ua_ramp_up", "0.1"}, {"l_ue", "0"}, {"threshold", "0.45"}};
  const auto method = make_method("penumbra", options);
  const auto at = [&](double progress) { return unsupervised_loss(*method, progress); };
  EXPECT_NEAR(at(0), 0, 1e-12);
  EXPECT_NEAR(at(0.05), at(0.2) / 2, 1e-9);
}

TEST(Penumbra, TheRampBeginsAfterASupervisedStart) {
  Options options{{"strong", "1"},
                  {"ua_ramp_up", "0.5"},
                  {"l_ue", "0"},
                  {"threshold", "0.45"},
                  {"supervised", "0.5"}};
  const auto method = make_method("penumbra", options);
  const auto at = [&](double progress) { return unsupervised_loss(*method, progress); };
  EXPECT_NEAR(at(0.5), 0, 1e-12);
  EXPECT_NEAR(at(0.625), at(0.9) / 2, 1e-9);
}

// Without batch norm it is only another order of the same images.
TEST(Penumbra, InterleavedPiecesGiveTheSameLoss) {
  const auto joint = golden_step({}), pieces = golden_step({{"forward", "interleave"}});
  EXPECT_NEAR(pieces.loss.item<double>(), joint.loss.item<double>(), 1e-12);
  int64_t largest = 0, calls = 0;
  const auto plain = golden_network();
  const Forward counted(
      [&](const torch::Tensor& x) {
        largest = std::max(largest, x.size(0));
        ++calls;
        return plain(x);
      },
      [&](const std::string& name) { return plain.head(name); });
  Options options{{"strong", "1"}, {"forward", "interleave"}};
  make_method("penumbra", options)->step(counted, plain, golden_batch());
  EXPECT_EQ(largest, 1);  // as many as are labelled
  EXPECT_EQ(calls, 11);
}

TEST(Penumbra, RefusesOptionsThatExcludeEachOther) {
  const auto refused = [](Options options) {
    return error_of([&] { make_method("penumbra", options); });
  };
  EXPECT_THAT(refused({{"forward", "interleave"}, {"skip_untrusted", "true"}}),
              HasSubstr("method.forward=joint"));
  EXPECT_THAT(refused({{"ua_normaliser", "kept"}, {"variance_samples", "all"}}),
              HasSubstr("method.variance_samples=masked"));
}

// Certificates are the first three features; the labelled image has hardly any of them, nor have
// the first five unlabelled ones. The last five are strangers.
Batch batch_with_strangers(const torch::Tensor& strong) {
  auto batch = golden_batch();
  batch.images = torch::tensor({{0.1, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0}}, torch::kDouble);
  auto weak = torch::zeros({10, 7}, torch::kDouble);
  weak.slice(0, 0, 5).select(1, 4).fill_(5);
  weak.slice(0, 5, 10).select(1, 0).fill_(5);
  batch.weak = {weak, weak};
  batch.strong = {strong};
  batch.all = torch::cat({batch.images, strong, weak, weak});
  return batch;
}

TEST(Penumbra, TheGateKeepsStrangersOut) {
  Options options{
      {"strong", "1"}, {"threshold", "0"}, {"gate", "epistemic"}, {"gate_quantile", "1"}};
  const auto method = make_method("penumbra", options);
  const auto batch = batch_with_strangers(golden_batch().strong[0]);
  const auto step = method->step(golden_network(), golden_network(), batch);
  EXPECT_EQ(step.report.at("gate"), 0.5);
  EXPECT_TRUE(step.pseudo_labels.slice(0, 0, 5).eq(4).all().item<bool>());
  EXPECT_TRUE(step.pseudo_labels.slice(0, 5, 10).eq(kUnlabelled).all().item<bool>());
  EXPECT_EQ(method->save().size(), 1u);
}

// Whatever learns from untrusted pictures as well, the variance and the certificates, must not
// learn from strangers.
TEST(Penumbra, NothingIsLearntFromWhatTheGateKeepsOut) {
  Options options{{"strong", "1"},        {"threshold", "0"},  {"gate", "epistemic"},
                  {"gate_quantile", "1"}, {"variance", "log"}, {"variance_samples", "all"},
                  {"variance_bias", "0"}, {"l_ue", "1"}};
  const auto method = make_method("penumbra", options);
  const auto strong = golden_batch().strong[0].clone().requires_grad_();
  const auto batch = batch_with_strangers(strong);
  method->step(golden_network(), golden_network(), batch).loss.backward();
  EXPECT_GT(strong.grad().slice(0, 0, 5).abs().sum(1).min().item<double>(), 0);
  EXPECT_EQ(strong.grad().slice(0, 5, 10).abs().max().item<double>(), 0);
}

TEST(Complement, AnyMethodTakesLUe) {
  Options options{{"l_ue", "2"}};
  const auto method = make_method("supervised", options);
  const auto heads = method->heads(128, 10);
  ASSERT_EQ(heads.size(), 1u);
  EXPECT_EQ(heads[0].name, "certificates");
  EXPECT_EQ(heads[0].outputs, 64);
  EXPECT_FALSE(heads[0].bias);
  EXPECT_FALSE(heads[0].weight_decay);
  const auto step = method->step(golden_network(), golden_network(), golden_batch());
  EXPECT_NEAR(step.loss.item<double>(),
              step.report.at("loss/supervised") + 2 * step.report.at("loss/epistemic"), 1e-12);
}

TEST(Complement, LUaNeedsSoftLabels) {
  Options hard{{"l_ua", "75"}}, soft{{"l_ua", "75"}, {"labels", "soft"}, {"threshold", "0"}};
  EXPECT_THAT(error_of([&] { make_method("fixmatch", hard); }), HasSubstr("no soft labels"));
  const auto step =
      make_method("fixmatch", soft)->step(golden_network(), golden_network(), golden_batch());
  EXPECT_EQ(step.report.count("loss/aleatoric"), 1u);
}

TEST(Complement, CertificatesLeaveRoomForTheClasses) {
  EXPECT_EQ(certificate_count(128, 10), 64);
  EXPECT_EQ(certificate_count(512, 100), 100);
  EXPECT_EQ(certificate_count(128, 100), 28);
  EXPECT_EQ(certificate_count(8, 10), 1);
}

TEST(Complement, OptionsOfALossThatIsOffAreUnknown) {
  Options options{{"lambda", "0.5"}};
  EXPECT_THAT(error_of([&] { make_method("fixmatch", options); }), HasSubstr("'lambda'"));
}

}  // namespace
}  // namespace penumbra
