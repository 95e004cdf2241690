#include "penumbra/core/blas_kernels.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cstdlib>

namespace penumbra {
namespace {

TEST(BlasKernels, ANewProcessorIsNotTakenForAnOldOne) {
  const bool asked = std::getenv("OPENBLAS_CORETYPE") != nullptr;
  const auto kernels = choose_blas_kernels();
  if (kernels.empty()) GTEST_SKIP() << "another BLAS than OpenBLAS";
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && !asked) {
    EXPECT_NE(kernels, "Prescott");
  }
#endif
  EXPECT_EQ(choose_blas_kernels(), kernels);  // once is enough
}

TEST(BlasKernels, ProductsAreRightAfterwards) {
  choose_blas_kernels();
  const auto a = torch::arange(67 * 130, torch::kFloat).sin().reshape({67, 130});
  const auto b = torch::arange(130 * 41, torch::kFloat).cos().reshape({130, 41});
  const auto product = torch::matmul(a, b);
  const auto expected = torch::matmul(a.to(torch::kDouble), b.to(torch::kDouble));
  EXPECT_LT((product - expected).abs().max().item<double>(), 1e-4);
}

}  // namespace
}  // namespace penumbra
