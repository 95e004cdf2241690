#include "penumbra/model/classifier.h"

#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "penumbra/core/error.h"
#include "penumbra/model/infer.h"

namespace penumbra {
namespace {

using Start = HeadSpec::Start;

Classifier make(std::vector<HeadSpec> heads, uint64_t seed = 1) {
  Options options;
  return Classifier(make_backbone("tiny", {3, 8, 8}, options, make_generator(seed)), 4,
                    std::move(heads), make_generator(seed + 1));
}

torch::Tensor images(int64_t n) {
  return torch::empty({n, 3, 8, 8}).normal_(0, 1, make_generator(9));
}

TEST(Classifier, GivesLogitsFeaturesAndTheOutputsOfEveryHead) {
  auto classifier = make({{"variance", 4, true, -2, Start::kZero, true},
                          {"certificates", 10, false, 0, Start::kOrthogonal, false}});
  const auto output = classifier.forward(images(5));
  EXPECT_EQ(output.logits.sizes(), torch::IntArrayRef({5, 4}));
  EXPECT_EQ(output.features.sizes(), torch::IntArrayRef({5, 32}));
  ASSERT_EQ(output.heads.size(), 2U);
  EXPECT_TRUE(output.heads.at("variance").eq(-2).all().item<bool>());
  const auto weight = classifier.head("certificates").weight;
  EXPECT_EQ(weight.sizes(), torch::IntArrayRef({10, 32}));
  EXPECT_TRUE(torch::allclose(output.heads.at("certificates"), output.features.mm(weight.t())));
  EXPECT_THROW(classifier.head("rotation"), c10::Error);
}

TEST(Classifier, NamesItsWeightsAsTheFileWill) {
  auto classifier = make({{"variance", 4}, {"certificates", 2, false}});
  std::vector<std::string> names;
  for (const auto& [name, tensor] : classifier.weights()) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"conv1.weight", "bn1.weight", "bn1.bias",
                                             "conv2.weight", "bn2.weight", "bn2.bias", "fc.weight",
                                             "fc.bias", "heads.variance.weight",
                                             "heads.variance.bias", "heads.certificates.weight"}));
  EXPECT_EQ(classifier.statistics().size(), 6U);
  EXPECT_EQ(classifier.state().size(), 17U);
}

TEST(Classifier, LeavesWeightDecayOffHeadsThatAskForIt) {
  auto classifier = make({{"a", 4}, {"ab", 2, false, 0, Start::kOrthogonal, false}});
  for (const auto& [name, tensor] : classifier.weights())
    EXPECT_EQ(classifier.decays(name), name != "heads.ab.weight") << name;
}

TEST(Classifier, StartsOrthogonalHeadsOrthonormal) {
  auto classifier =
      make({{"few", 8, false, 0, Start::kOrthogonal}, {"many", 50, false, 0, Start::kOrthogonal}});
  const auto few = classifier.head("few").weight, many = classifier.head("many").weight;
  EXPECT_TRUE(torch::allclose(few.mm(few.t()), torch::eye(8), 0, 1e-5));
  EXPECT_TRUE(torch::allclose(many.t().mm(many), torch::eye(32), 0, 1e-5));
}

TEST(Classifier, HasTheSameBitsFromTheSameGeneratorAndLeavesTheGlobalOneAlone) {
  const std::vector<HeadSpec> heads{{"a", 4}, {"b", 3, false, 0, Start::kOrthogonal}};
  const auto global = at::detail::getDefaultCPUGenerator();
  const auto before = global.get_state();
  const auto first = make(heads), again = make(heads), other = make(heads, 5);
  EXPECT_TRUE(before.equal(global.get_state()));
  for (std::size_t i = 0; i < first.weights().size(); ++i)
    EXPECT_TRUE(first.weights()[i].tensor.equal(again.weights()[i].tensor));
  EXPECT_FALSE(first.head("b").weight.equal(other.head("b").weight));
}

TEST(Classifier, CopyKeepsTypeLayoutModeAndHeads) {
  auto classifier = make({{"a", 4, true, 3, Start::kXavier, false}});
  classifier.to(torch::kDouble);
  classifier.use_channels_last();
  classifier.eval();
  const auto copy = classifier.copy();
  const auto weight = copy->weights().at(0).tensor;
  EXPECT_EQ(weight.scalar_type(), torch::kDouble);
  EXPECT_TRUE(weight.is_contiguous(torch::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(weight.requires_grad());
  EXPECT_FALSE(copy->is_training());
  EXPECT_FALSE(copy->decays("heads.a.weight"));
  const auto batch = images(3).to(torch::kDouble);
  EXPECT_TRUE(classifier.forward(batch).heads.at("a").equal(copy->forward(batch).heads.at("a")));
}

TEST(Classifier, AssignTakesOverEveryValue) {
  auto from = make({{"a", 2}}, 1), to = make({{"a", 2}}, 7);
  from.forward(images(4));  // moves the running statistics
  to.assign(from);
  for (std::size_t i = 0; i < from.state().size(); ++i)
    EXPECT_TRUE(from.state()[i].tensor.equal(to.state()[i].tensor)) << from.state()[i].name;
  auto another = make({{"b", 2}});
  EXPECT_THROW(to.assign(another), c10::Error);
}

TEST(Infer, GivesTheSameAsOnePassInEvaluationModeAndRestoresTheMode) {
  auto classifier = make({{"a", 2}});
  classifier.use_channels_last();
  const auto batch = images(11);
  classifier.forward(batch);
  const auto output = infer(classifier, batch, /*batch_size=*/4);
  EXPECT_TRUE(classifier.is_training());
  EXPECT_FALSE(output.logits.requires_grad());
  classifier.eval();
  const auto whole = classifier.forward(batch);
  EXPECT_TRUE(torch::allclose(output.logits, whole.logits, 1e-5, 1e-6));
  EXPECT_TRUE(torch::allclose(output.heads.at("a"), whole.heads.at("a"), 1e-5, 1e-6));
  EXPECT_EQ(infer(classifier, batch.slice(0, 0, 0)).logits.sizes(), torch::IntArrayRef({0, 4}));
  EXPECT_FALSE(classifier.is_training());
}

TEST(AutocastScope, TurnsBfloat16OnAndRestoresWhatWas) {
  const auto a = torch::ones({2, 2});
  {
    const AutocastScope outer(Precision::kBf16, torch::kCPU);
    EXPECT_EQ(a.mm(a).scalar_type(), torch::kBFloat16);
    {
      const AutocastScope inner(Precision::kFp32, torch::kCPU);
      EXPECT_EQ(a.mm(a).scalar_type(), torch::kFloat);
    }
    EXPECT_EQ(a.mm(a).scalar_type(), torch::kBFloat16);
  }
  EXPECT_FALSE(at::autocast::is_cpu_enabled());
  EXPECT_EQ(a.mm(a).scalar_type(), torch::kFloat);
}

TEST(Precision, IsBf16OrFp32) {
  EXPECT_EQ(parse_precision("bf16"), Precision::kBf16);
  EXPECT_EQ(parse_precision("fp32"), Precision::kFp32);
  EXPECT_THROW(parse_precision("fp16"), Error);
}

TEST(Precision, IsFastestWhereTheKernelListsTheInstructions) {
  std::ifstream file("/proc/cpuinfo");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.find("flags") == std::string::npos) GTEST_SKIP() << "needs /proc/cpuinfo of an x86";
  const bool listed = text.find(" avx512_bf16") != std::string::npos;
  EXPECT_EQ(fastest_precision(), listed ? Precision::kBf16 : Precision::kFp32);
}

TEST(Classifier, TakesAStateByNameInAnyOrder) {
  auto from = make({{"a", 2}}, 1), to = make({{"a", 2}}, 7);
  auto state = from.state();
  std::reverse(state.begin(), state.end());
  to.use_channels_last();
  to.set_state(state);
  from.eval();
  to.eval();
  EXPECT_TRUE(
      torch::allclose(from.forward(images(3)).logits, to.forward(images(3)).logits, 1e-5, 1e-6));
  EXPECT_TRUE(to.weights()[0].tensor.is_contiguous(torch::MemoryFormat::ChannelsLast));
}

TEST(Classifier, AStateThatDoesNotFitChangesNothing) {
  auto classifier = make({{"a", 2}});
  const auto before = classifier.weights()[0].tensor.detach().clone();
  auto state = make({{"a", 2}}, 7).state();
  state.back().tensor = torch::zeros({77});
  EXPECT_THROW(classifier.set_state(state), Error);
  EXPECT_TRUE(classifier.weights()[0].tensor.equal(before));
  state.pop_back();
  EXPECT_THROW(classifier.set_state(state), Error);
}

TEST(Classifier, WhatMethodsCallIsItselfAndItsHeads) {
  auto classifier = make({{"a", 2}});
  classifier.eval();
  const auto forward = forward_of(classifier);
  EXPECT_TRUE(forward(images(2)).logits.equal(classifier.forward(images(2)).logits));
  EXPECT_TRUE(forward.head("a").weight.is_same(classifier.head("a").weight));
  EXPECT_TRUE(forward.head("a").bias.defined());
  EXPECT_FALSE(make({{"b", 2, false}}).head("b").bias.defined());
}

TEST(Classifier, ABackboneMustNotHaveAPartThatIsTheClassifiers) {
  class Odd final : public Backbone {
   public:
    Odd() { register_module("fc", torch::nn::Linear(1, 1)); }
    int64_t feature_size() const override { return 1; }
    torch::Tensor forward(const torch::Tensor& batch) override { return batch; }
  };
  EXPECT_THROW(Classifier(std::make_shared<Odd>(), 2, {}, make_generator(1)), c10::Error);
}

}  // namespace
}  // namespace penumbra
