#include "penumbra/model/primitive_bound.h"

#include <gtest/gtest.h>

namespace penumbra {
namespace {

TEST(PrimitiveBound, EveryLayoutRunsForwardAndBackward) {
  for (const auto layout :
       {PrimitiveNetwork::Layout::kBlocked, PrimitiveNetwork::Layout::kChannelsLast})
    for (const int64_t width : {1, 2})
      PrimitiveNetwork(10, width, 8, 2, Precision::kFp32, layout).train();
}

}  // namespace
}  // namespace penumbra
