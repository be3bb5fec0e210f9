#include "tensorlane/differential/call_memory.h"

#include <gtest/gtest.h>

#include "tensorlane/chip/chip.h"

namespace tensorlane::differential {
namespace {

// Of pages that were written and of those that nobody touched.
TEST(CallMemory, FindsAByteWhereNoOperandLies) {
  CallMemory memory(bm1684x());
  EXPECT_EQ(memory.stray(), "");
  std::byte* const local = memory.trial().base(Space::kLocal);
  local[0x12345] = std::byte{0};
  EXPECT_EQ(memory.stray(), "");
  local[0x12fff] = std::byte{1};
  EXPECT_EQ(memory.stray(), "local memory 0x12fff");
  memory.wipe();
  EXPECT_EQ(memory.stray(), "");
  memory.trial().base(Space::kGlobal)[7] = std::byte{1};
  EXPECT_EQ(memory.stray(), "global memory 0x7");
}

}  // namespace
}  // namespace tensorlane::differential
