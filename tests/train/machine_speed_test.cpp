#include "penumbra/train/machine_speed.h"

#include <ATen/CPUGeneratorImpl.h>

#include <cmath>

#include "tests/expect_error.h"

namespace penumbra {
namespace {

TEST(MachineSpeed, IsANumberOfCoresAndTouchesNobodysRandomNumbers) {
  const auto& global = at::detail::getDefaultCPUGenerator();
  const auto before = global.get_state();
  for (const auto precision : {Precision::kFp32, fastest_precision()}) {
    const double cores = machine_cores(precision, fastest_kernels());
    EXPECT_TRUE(std::isfinite(cores));
    EXPECT_GT(cores, 0);
  }
  EXPECT_TRUE(global.get_state().equal(before));
}

}  // namespace
}  // namespace penumbra
