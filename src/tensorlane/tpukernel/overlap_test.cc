// Results on their sources, for every function that has a choice of implementations.
#include <gtest/gtest.h>

#include "tensorlane/device/overlapping_calls_test_support.h"
#include "tensorlane/tpukernel/define.h"
#include "tensorlane/tpukernel/random_call_test_support.h"

namespace tensorlane::tpukernel {
namespace {

TEST(Overlapping, OperandsGiveTheReferencesBitsOnAnyThreads) {
  OverlappingCalls calls(bm1684x(), random_call, fill_randomly);
  int functions = 0;
  for (const Op* op : ops().all()) {
    if (op->spec().absence != Absence::kNone || op->spec().implementations.size() < 2) continue;
    functions += calls.compare(*op, 8) ? 1 : 0;
  }
  EXPECT_GT(functions, 100);
}

}  // namespace
}  // namespace tensorlane::tpukernel
