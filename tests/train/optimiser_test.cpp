#include "penumbra/train/optimiser.h"

#include <functional>

#include "tests/expect_error.h"

namespace penumbra {
namespace {

std::shared_ptr<Classifier> small() {
  Options options{{"width", "4"}};
  HeadSpec head;
  head.name = "certificates";
  head.outputs = 2;
  head.weight_decay = false;
  return std::make_shared<Classifier>(make_backbone("tiny", {3, 8, 8}, options), 3,
                                      std::vector<HeadSpec>{head}, make_generator(3));
}

void fill_gradients(Classifier& classifier, double value) {
  for (auto& weight : classifier.parameters())
    weight.mutable_grad() = torch::full_like(weight, value);
}

torch::Tensor weight_of(const Classifier& classifier, const std::string& name) {
  for (const auto& weight : classifier.weights())
    if (weight.name == name) return weight.tensor.detach().clone();
  return {};
}

// Steps are the learning rate times the gradient.
OptimiserOptions plain() {
  OptimiserOptions options;
  options.momentum = 0;
  options.weight_decay = 0;
  return options;
}

TEST(Optimiser, DecaysKernelsAndLeavesBiasesAndCertificatesAlone) {
  for (const std::string which : {"kernels", "all"}) {
    auto classifier = small();
    auto options = plain();
    options.weight_decay = 0.5;
    options.decay = which;
    const auto kernel = weight_of(*classifier, "fc.weight");
    const auto certificates = weight_of(*classifier, "heads.certificates.weight");
    const auto scale = weight_of(*classifier, "bn1.weight");
    Optimiser optimiser(*classifier, options);
    fill_gradients(*classifier, 0);
    optimiser.step(0.1);
    EXPECT_TRUE(weight_of(*classifier, "fc.weight").allclose(kernel * 0.95));
    EXPECT_TRUE(weight_of(*classifier, "heads.certificates.weight").equal(certificates));
    ASSERT_TRUE(scale.defined());
    EXPECT_TRUE(
        weight_of(*classifier, "bn1.weight").allclose(which == "all" ? scale * 0.95 : scale));
  }
}

TEST(Optimiser, MovesVectorsByAMultipleOfTheLearningRate) {
  auto classifier = small();
  auto options = plain();
  options.vector_lr = 16;
  const auto kernel = weight_of(*classifier, "fc.weight"), bias = weight_of(*classifier, "fc.bias");
  Optimiser optimiser(*classifier, options);
  fill_gradients(*classifier, 1);
  optimiser.step(0.01);
  EXPECT_TRUE(weight_of(*classifier, "fc.weight").allclose(kernel - 0.01));
  EXPECT_TRUE(weight_of(*classifier, "fc.bias").allclose(bias - 0.16));
}

TEST(Optimiser, ClipsTheNormOfTheWholeGradient) {
  auto classifier = small();
  auto options = plain();
  options.clip = 1;
  double count = 0;
  for (const auto& weight : classifier->parameters()) count += static_cast<double>(weight.numel());
  const auto before = weight_of(*classifier, "fc.bias");
  Optimiser optimiser(*classifier, options);
  fill_gradients(*classifier, 2);
  EXPECT_NEAR(optimiser.step(1), 2 * std::sqrt(count), 1e-3);
  EXPECT_TRUE(
      weight_of(*classifier, "fc.bias").allclose(before - 1 / std::sqrt(count), 1e-4, 1e-6));
}

TEST(Optimiser, GoesOnBitForBitFromItsState) {
  for (const std::string kind : {"sgd", "adamw", "muon"}) {
    auto classifier = small();
    OptimiserOptions options;
    options.optimiser = kind;
    Optimiser optimiser(*classifier, options);
    for (const double gradient : {0.1, -0.2}) {
      fill_gradients(*classifier, gradient);
      optimiser.step(0.1);
    }
    auto copy = classifier->copy();
    Optimiser resumed(*copy, options);
    resumed.load(optimiser.save());
    fill_gradients(*classifier, 0.3);
    fill_gradients(*copy, 0.3);
    optimiser.step(0.05);
    resumed.step(0.05);
    const auto ours = classifier->state(), theirs = copy->state();
    for (std::size_t i = 0; i < ours.size(); ++i)
      EXPECT_TRUE(ours[i].tensor.equal(theirs[i].tensor)) << kind << ' ' << ours[i].name;
  }
}

TEST(Optimiser, AStateOfAnotherShapeOrTypeIsRefused) {
  for (const std::string kind : {"sgd", "adamw"}) {
    auto classifier = small();
    OptimiserOptions options;
    options.optimiser = kind;
    Optimiser optimiser(*classifier, options);
    fill_gradients(*classifier, 0.1);
    optimiser.step(0.1);
    const auto good = optimiser.save();
    const auto error_with = [&](const std::string& name,
                                const std::function<torch::Tensor(const torch::Tensor&)>& change) {
      auto state = good;
      for (auto& entry : state)
        if (entry.name == name) entry.tensor = change(entry.tensor);
      return error_of([&] { Optimiser(*classifier, options).load(state); });
    };
    const std::string name = kind == "sgd" ? "fc.weight/momentum" : "fc.weight/square";
    EXPECT_THAT(error_with(name, [](const auto& tensor) { return tensor.to(torch::kInt); }),
                testing::HasSubstr(name + " as [3, 8] int: expected [3, 8] float"));
    EXPECT_THAT(error_with(name, [](const auto& tensor) { return tensor.t(); }),
                testing::HasSubstr(name + " as [8, 3] float: expected [3, 8] float"));
    if (kind == "adamw") {
      EXPECT_THAT(error_with("fc.weight/step", [](const auto&) { return torch::ones({2}); }),
                  testing::HasSubstr("lacks fc.weight/step: expected one whole number"));
    }
  }
}

// Nesterov: v <- m v + g, w <- w - lr (g + m v). With g = 1 and m = 0.9 the first step moves by 1.9
// and the second, v being 1.9, by 1 + 0.9 1.9 = 2.71.
TEST(Optimiser, MomentumIsNesterovs) {
  auto classifier = small();
  auto options = plain();
  options.momentum = 0.9;
  const auto before = weight_of(*classifier, "fc.weight");
  Optimiser optimiser(*classifier, options);
  fill_gradients(*classifier, 1);
  optimiser.step(0.1);
  EXPECT_TRUE(weight_of(*classifier, "fc.weight").allclose(before - 0.19, 1e-4, 1e-6));
  optimiser.step(0.1);
  EXPECT_TRUE(weight_of(*classifier, "fc.weight").allclose(before - 0.461, 1e-4, 1e-6));
}

// The first step of Adam is lr times the sign of the gradient; the decay is w <- w - lr d w.
TEST(Optimiser, AdamWDecaysBesideTheGradient) {
  auto classifier = small();
  auto options = plain();
  options.optimiser = "adamw";
  options.weight_decay = 0.5;
  const auto before = weight_of(*classifier, "fc.weight");
  Optimiser optimiser(*classifier, options);
  fill_gradients(*classifier, -7);
  optimiser.step(0.1);
  EXPECT_TRUE(weight_of(*classifier, "fc.weight").allclose(before * 0.95 + 0.1, 1e-4, 1e-5));
}

// Kernels of convolutions keep their length, whatever the decay; the classifier goes by SGD.
TEST(Optimiser, MuonTurnsConvolutionsAndDecaysTheRest) {
  auto classifier = small();
  auto options = plain();
  options.optimiser = "muon";
  options.weight_decay = 0.5;
  const auto kernel = weight_of(*classifier, "conv1.weight");
  const auto linear = weight_of(*classifier, "fc.weight");
  Optimiser optimiser(*classifier, options);
  fill_gradients(*classifier, 1);
  optimiser.step(0.1);
  const auto turned = weight_of(*classifier, "conv1.weight");
  EXPECT_NEAR(turned.norm().item<double>(), kernel.norm().item<double>(), 1e-5);
  // A chord of about lr times the length: the part along the kernel is taken back.
  EXPECT_NEAR((turned - kernel).norm().item<double>() / kernel.norm().item<double>(), 0.1, 0.02);
  EXPECT_TRUE(weight_of(*classifier, "fc.weight").allclose(linear * 0.95 - 0.1));
}

TEST(Optimiser, WithoutGradientsNothingMoves) {
  auto classifier = small();
  const auto before = weight_of(*classifier, "fc.weight");
  OptimiserOptions options;
  Optimiser optimiser(*classifier, options);
  EXPECT_EQ(optimiser.step(0.1), 0);
  fill_gradients(*classifier, 1);
  optimiser.zero_grad();
  EXPECT_EQ(optimiser.step(0.1), 0);
  EXPECT_TRUE(weight_of(*classifier, "fc.weight").equal(before));
  EXPECT_TRUE(optimiser.save().empty());
}

TEST(Optimiser, AGradientBelowTheLimitIsNotClipped) {
  auto classifier = small();
  auto options = plain();
  options.clip = 1e6;
  const auto before = weight_of(*classifier, "fc.bias");
  Optimiser optimiser(*classifier, options);
  fill_gradients(*classifier, 2);
  optimiser.step(0.1);
  EXPECT_TRUE(weight_of(*classifier, "fc.bias").allclose(before - 0.2));
}

TEST(Optimiser, AStateThatLacksAPartIsRefused) {
  auto classifier = small();
  OptimiserOptions options;
  options.optimiser = "adamw";
  Optimiser optimiser(*classifier, options);
  fill_gradients(*classifier, 0.1);
  optimiser.step(0.1);
  for (const std::string lost : {"fc.weight/square", "fc.weight/step"}) {
    auto state = optimiser.save();
    for (auto& entry : state)
      if (entry.name == lost) entry.name = "gone";
    EXPECT_THAT(error_of([&] { Optimiser(*classifier, options).load(state); }),
                testing::HasSubstr("the optimiser's state lacks " + lost));
  }
  EXPECT_NO_THROW(Optimiser(*classifier, options).load({}));  // a run that made no step
}

TEST(Optimiser, OptionsOutOfRangeAreNamed) {
  const std::pair<std::string, std::string> wrong[] = {{"optimiser", "adam"},  {"momentum", "1"},
                                                       {"weight_decay", "-1"}, {"decay", "some"},
                                                       {"vector_lr", "-1"},    {"clip", "-1"}};
  for (const auto& setting : wrong) {
    Options options{setting};
    EXPECT_THAT(error_of([&] { const OptimiserOptions read(options); }),
                testing::HasSubstr("option '" + setting.first + "' is '" + setting.second + "'"));
  }
}

}  // namespace
}  // namespace penumbra
