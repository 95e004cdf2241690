#include "penumbra/model/precision.h"

#include <ATen/autocast_mode.h>

#include "penumbra/model/named_tensor.h"
#include "tests/expect_error.h"

namespace penumbra {
namespace {

TEST(Precision, HasANameThatIsReadBack) {
  for (const auto precision : {Precision::kBf16, Precision::kFp32})
    EXPECT_EQ(parse_precision(to_string(precision)), precision);
  EXPECT_EQ(to_string(Precision::kBf16), "bf16");
  for (const std::string text : {"fp16", "", "BF16", "float32"})
    EXPECT_EQ(error_of([&] { parse_precision(text); }),
              "precision '" + text + "': expected bf16 or fp32");
}

TEST(AutocastScope, BringsTheTypeBackThatSomebodyElseChose) {
  const auto before = at::autocast::get_autocast_gpu_dtype();
  at::autocast::set_autocast_gpu_dtype(torch::kHalf);
  {
    const AutocastScope scope(Precision::kBf16, torch::kCPU);
    EXPECT_EQ(at::autocast::get_autocast_gpu_dtype(), torch::kBFloat16);
    EXPECT_FALSE(at::autocast::is_enabled());  // on a GPU: this one is for the CPU
  }
  EXPECT_EQ(at::autocast::get_autocast_gpu_dtype(), torch::kHalf);
  at::autocast::set_autocast_gpu_dtype(before);
}

// libtorch keeps the casts of weights: those made without gradients would be used, cut off, by the
// next pass.
TEST(AutocastScope, APassWithoutGradientsDoesNotCutTheNextOneOff) {
  const auto weight = torch::ones({4, 4}).requires_grad_(), input = torch::ones({2, 4});
  {
    const AutocastScope scope(Precision::kBf16, torch::kCPU);
    const torch::NoGradGuard no_gradient;
    EXPECT_FALSE(input.mm(weight).requires_grad());
  }
  const AutocastScope scope(Precision::kBf16, torch::kCPU);
  const auto product = input.mm(weight);
  ASSERT_TRUE(product.requires_grad());
  product.sum().backward();
  EXPECT_TRUE(weight.grad().eq(2).all().item<bool>());
}

TEST(NamedTensor, IsFoundByItsNameOrNamedAsMissing) {
  const std::vector<NamedTensor> tensors{{"a", torch::zeros({2})}, {"b", torch::ones({3})}};
  EXPECT_TRUE(find_tensor(tensors, "b").equal(torch::ones({3})));
  EXPECT_EQ(error_of([&] { find_tensor(tensors, "c"); }), "what was saved lacks 'c'");
  EXPECT_EQ(error_of([] { find_tensor({}, "a"); }), "what was saved lacks 'a'");
}

TEST(NamedTensor, OfOtherSizesOrOfAnotherTypeThanExpectedIsAnError) {
  const std::vector<NamedTensor> tensors{{"a", torch::zeros({2, 3})}};
  EXPECT_TRUE(find_tensor(tensors, "a", torch::ones({2, 3})).equal(torch::zeros({2, 3})));
  EXPECT_EQ(error_of([&] { find_tensor(tensors, "a", torch::ones({6})); }),
            "what was saved has 'a' as [2, 3] float: expected [6] float, as this run makes it");
  EXPECT_THAT(error_of([&] {
                find_tensor(tensors, "a", torch::ones({2, 3}, torch::kLong));
              }),
              testing::HasSubstr("as [2, 3] float: expected [2, 3] long"));
  EXPECT_EQ(error_of([&] { find_tensor(tensors, "b", torch::ones({6})); }),
            "what was saved lacks 'b'");
}

TEST(NamedTensor, WithLabelsThatNoClassHasIsAnError) {
  const auto labels = torch::tensor({-1, 0, 3}, torch::kLong);
  const std::vector<NamedTensor> tensors{{"a", labels}, {"none", labels.slice(0, 0, 0)}};
  EXPECT_TRUE(find_labels(tensors, "a", labels, -1, 3).equal(labels));
  EXPECT_EQ(find_labels(tensors, "none", labels.slice(0, 0, 0), 0, 3).numel(), 0);
  EXPECT_EQ(error_of([&] { find_labels(tensors, "a", labels, 0, 3); }),
            "what was saved has 'a' from -1 to 3: expected 0 to 3");
  EXPECT_EQ(error_of([&] { find_labels(tensors, "a", labels, -1, 2); }),
            "what was saved has 'a' from -1 to 3: expected -1 to 2");
}

}  // namespace
}  // namespace penumbra
