#include "tensorlane/device/tail_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tensorlane/device/source_location.h"

namespace tensorlane {
namespace {

extern "C" [[gnu::noinline]] void tail_calls_test_kernel() {
  asm volatile("");
}
extern "C" [[gnu::noinline]] void tail_calls_test_helper() {
  asm volatile("" ::: "memory");
}
const void* address_of(void (*function)()) {
  return reinterpret_cast<const void*>(function);
}

TEST(TailCallSite, IsTheSameForTheSameCallAndAnotherForOthers) {
  const void* const kernel = address_of(tail_calls_test_kernel);
  const void* const helper = address_of(tail_calls_test_helper);
  const void* const site = tail_call_site(kernel, "poll");
  EXPECT_EQ(tail_call_site(kernel, "poll"), site);
  EXPECT_NE(tail_call_site(kernel, "start"), site);
  EXPECT_NE(tail_call_site(helper, "poll"), site);
  ASSERT_NE(find_tail_call(site), nullptr);
  EXPECT_EQ(find_tail_call(site)->function, kernel);
  EXPECT_EQ(find_tail_call(site)->callee, "poll");
}

TEST(TailCallSite, AddressesOfCodeAreNone) {
  tail_call_site(address_of(tail_calls_test_kernel), "poll");
  EXPECT_EQ(find_tail_call(address_of(tail_calls_test_kernel)), nullptr);
  EXPECT_EQ(find_tail_call(nullptr), nullptr);
}

// tests/corpus has kernels with debug information; their lines are found.
TEST(TailCallSite, WithoutDebugInformationTheFunctionIsKnown) {
  const void* const site = tail_call_site(address_of(tail_calls_test_helper), "poll");
  EXPECT_THAT(find_source_location(site).function, testing::HasSubstr("tail_calls_test_helper"));
  EXPECT_EQ(find_source_frames(site, "poll").size(), find_source_frames(site).size());
}

// Places of the module stand between jumps from it in the order of addresses, or beside them.
TEST(TailCallSite, IsForgottenWithTheModuleOfItsFunction) {
  const void* const helper = address_of(tail_calls_test_helper);
  for (int round = 0; round < 3; ++round) {
    for (const char* const callee : {"poll", "start", "end"})
      EXPECT_THAT(find_source_location(tail_call_site(helper, callee)).function,
                  testing::HasSubstr("tail_calls_test_helper"));
    EXPECT_NE(find_source_location(helper).function, "");
    forget_places(helper);
  }
}

}  // namespace
}  // namespace tensorlane
