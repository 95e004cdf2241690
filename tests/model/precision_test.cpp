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

}  // namespace
}  // namespace penumbra
