// What must hold for every backbone, and so for a new one before it has tests of its own.

#include <gtest/gtest.h>

#include "penumbra/model/backbone.h"
#include "penumbra/model/classifier.h"

namespace penumbra {
namespace {

std::vector<std::string> names() {
  std::vector<std::string> all{"wrn_10_1", "wrn_16_2", "fast_8"};
  for (const auto& part : list_backbones()) all.push_back(part.name);
  return all;
}

std::shared_ptr<Backbone> make(const std::string& name, const InputShape& input,
                               uint64_t seed = 1) {
  Options options;
  return make_backbone(name, input, options, make_generator(seed));
}

torch::Tensor images(int64_t n, const InputShape& input, uint64_t seed = 7) {
  return torch::empty({n, input.channels, input.height, input.width})
      .normal_(0, 1, make_generator(seed));
}

class EveryBackbone : public testing::TestWithParam<std::string> {};

TEST_P(EveryBackbone, GivesFeaturesOfTheSizeItSaysForAnyInput) {
  for (const auto& input :
       {InputShape{1, 8, 8}, InputShape{2, 28, 28}, InputShape{3, 8, 33}, InputShape{4, 96, 96}}) {
    const auto backbone = make(GetParam(), input);
    for (const bool training : {true, false}) {
      backbone->train(training);
      const torch::NoGradGuard no_grad;
      const auto features = backbone->forward(images(2, input));
      EXPECT_EQ(features.sizes(), torch::IntArrayRef({2, backbone->feature_size()}));
      EXPECT_TRUE(features.isfinite().all().item<bool>());
    }
  }
}

TEST_P(EveryBackbone, HasTheSameBitsFromTheSameGenerator) {
  const InputShape input{3, 16, 16};
  const auto first = make(GetParam(), input)->parameters();
  const auto again = make(GetParam(), input)->parameters();
  const auto other = make(GetParam(), input, /*seed=*/2)->parameters();
  bool differs = false;
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_TRUE(first[i].equal(again[i]));
    differs = differs || !first[i].equal(other[i]);
  }
  EXPECT_TRUE(differs);
}

TEST_P(EveryBackbone, LeavesTheGlobalGeneratorAlone) {
  const auto& global = at::detail::getDefaultCPUGenerator();
  const auto before = global.get_state();
  make(GetParam(), {3, 16, 16});
  EXPECT_TRUE(before.equal(global.get_state()));
}

TEST_P(EveryBackbone, DoesNotDependOnBatchMatesInEvaluation) {
  const InputShape input{3, 16, 16};
  const auto backbone = make(GetParam(), input);
  const torch::NoGradGuard no_grad;
  const auto batch = images(8, input);
  backbone->train();
  backbone->forward(batch);  // so that the running statistics are not those of the start
  backbone->eval();
  const auto together = backbone->forward(batch);
  const auto alone = backbone->forward(batch.slice(0, 2, 3));
  EXPECT_TRUE(torch::allclose(together.slice(0, 2, 3), alone, 1e-4, 1e-5));
}

TEST_P(EveryBackbone, CopyHasTheSameOutputAndSharesNothing) {
  const InputShape input{3, 16, 16};
  Classifier classifier(make(GetParam(), input), 5, {}, make_generator(3));
  const auto batch = images(4, input);
  classifier.forward(batch);
  classifier.eval();
  const auto copy = classifier.copy();
  const torch::NoGradGuard no_grad;
  const auto before = classifier.forward(batch).logits;
  EXPECT_TRUE(before.equal(copy->forward(batch).logits));
  for (auto& weight : copy->parameters()) weight.zero_();
  EXPECT_TRUE(before.equal(classifier.forward(batch).logits));
}

TEST_P(EveryBackbone, GivesEveryWeightAGradientInBf16AndAgreesRoughlyWithFp32) {
  const InputShape input{3, 32, 32};
  Classifier classifier(make(GetParam(), input), 5, {}, make_generator(3));
  classifier.use_channels_last();
  // Batch norm of few pixels makes much of a rounding.
  const auto batch = images(32, input);
  const auto fp32 = classifier.forward(batch).logits.detach();
  classifier.set_precision(Precision::kBf16);
  {
    // Casts made without gradient must not be what the next pass uses.
    const torch::NoGradGuard no_grad;
    classifier.forward(batch);
  }
  const auto output = classifier.forward(batch);
  EXPECT_EQ(output.logits.scalar_type(), torch::kFloat);
  EXPECT_EQ(output.features.scalar_type(), torch::kFloat);
  EXPECT_LT((output.logits - fp32).norm().item<double>(), 0.1 * fp32.norm().item<double>());
  EXPECT_FALSE(output.logits.equal(fp32));  // it did compute in another precision
  output.logits.square().sum().backward();
  for (const auto& [name, weight] : classifier.weights()) {
    ASSERT_TRUE(weight.grad().defined()) << name;
    EXPECT_GT(weight.grad().abs().sum().item<double>(), 0) << name;
  }
}

TEST_P(EveryBackbone, ComputesInDouble) {
  const InputShape input{3, 16, 16};
  Classifier classifier(make(GetParam(), input), 5, {}, make_generator(3));
  const auto batch = images(4, input);
  const auto single = classifier.forward(batch).logits;
  classifier.to(torch::kDouble);
  const auto precise = classifier.forward(batch.to(torch::kDouble)).logits;
  EXPECT_EQ(precise.scalar_type(), torch::kDouble);
  EXPECT_TRUE(torch::allclose(precise, single.to(torch::kDouble), 1e-3, 1e-3));
}

TEST_P(EveryBackbone, DoesNotCareAboutTheMemoryLayout) {
  const InputShape input{3, 16, 16};
  Classifier classifier(make(GetParam(), input), 5, {}, make_generator(3));
  classifier.to(torch::kDouble);
  classifier.eval();
  const auto batch = images(4, input).to(torch::kDouble);
  const auto usual = classifier.forward(batch).logits;
  classifier.use_channels_last();
  EXPECT_TRUE(torch::allclose(usual, classifier.forward(batch).logits, 1e-9, 1e-9));
}

TEST_P(EveryBackbone, RejectsUnknownOptionsAndWrongNames) {
  Options options{{"widht", "3"}};
  EXPECT_THROW(make_backbone(GetParam(), {}, options), Error);
  EXPECT_THROW(make(GetParam() + "_nonsense", {}), Error);
  EXPECT_THROW(make(GetParam() + "x", {}), Error);
  EXPECT_THROW(make(GetParam(), {0, 32, 32}), Error);
}

INSTANTIATE_TEST_SUITE_P(Model, EveryBackbone, testing::ValuesIn(names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace penumbra
