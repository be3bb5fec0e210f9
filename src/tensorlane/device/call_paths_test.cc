#include "tensorlane/device/call_paths.h"

#include <gtest/gtest.h>

#include <alloca.h>

#include "tensorlane/device/call_stack.h"
#include "tensorlane/device/device_test_support.h"
#include "tensorlane/device/kernel_runner.h"

namespace tensorlane {

using Calls = std::vector<const void*>;

// What a device function does: it asks from a frame of its own.
CallPaths* paths = nullptr;
Calls seen, walked;
[[gnu::noinline]] void device_function() {
  const void* const call_site = __builtin_return_address(0);
  const auto found = paths->find(call_site, __builtin_frame_address(0));
  seen.assign(found.begin(), found.end());
  walked = calls_to(call_site);
}
// Outside the anonymous namespace, so that none of them is put into its caller.
[[gnu::noinline]] void helper() {
  device_function();
  asm volatile("");  // no tail call
}
[[gnu::noinline]] void deep(int depth) {
  if (depth == 0) {
    helper();
  } else {
    deep(depth - 1);
  }
  asm volatile("");
}
[[gnu::noinline]] void grows(std::size_t bytes) {
  static_cast<volatile char*>(alloca(bytes))[0] = 1;
  helper();
  asm volatile("");
}

#if defined(__x86_64__)
// A kernel's registered function that only passes its arguments on, as compilers make it.
extern "C" [[gnu::used]] void tensorlane_test_jumped_to(const void*) {
  helper();
  const Calls first = seen;
  deep(2);
  EXPECT_EQ(first.size(), 2u);
  asm volatile("");
}
extern "C" void tensorlane_test_jumps(const void*);
asm(R"(
  .pushsection .text
  .globl tensorlane_test_jumps
  .type tensorlane_test_jumps, @function
tensorlane_test_jumps:
  .cfi_startproc
  jmp tensorlane_test_jumped_to
  .cfi_endproc
  .size tensorlane_test_jumps, .-tensorlane_test_jumps
  .popsection
)");
#endif

namespace {

class CallPathsTest : public ::testing::Test {
 protected:
  void SetUp() override { paths = &known; }
  // Runs `kernel`; what its last device function was told, once for each time that it asked.
  static Calls run(KernelFunction kernel) {
    toy::Machine machine;
    seen.clear();
    EXPECT_FALSE(run_kernel(machine.session, kernel, nullptr));
    EXPECT_EQ(seen, walked);
    return seen;
  }
  CallPaths known;
};

std::vector<const void*> functions(const Calls& calls) {
  std::vector<const void*> all;
  for (const void* const call : calls) all.push_back(function_of(call));
  return all;
}

void two_ways(const void*) {
  helper();
  const Calls first = seen;
  for (int k = 0; k < 3; ++k) {
    helper();
    EXPECT_EQ(seen, walked);
    EXPECT_NE(seen, first) << "another line of the kernel";
    EXPECT_EQ(functions(seen), functions(first));
  }
  deep(3);
  EXPECT_EQ(seen, walked);
}

TEST_F(CallPathsTest, LeadFromTheDeviceFunctionToTheKernel) {
  const auto* const kernel = reinterpret_cast<const void*>(&two_ways);
  for (int k = 0; k < 2; ++k) {  // the second time all paths are known
    const Calls calls = run(two_ways);
    ASSERT_EQ(calls.size(), 6u);
    EXPECT_EQ(function_of(calls.front()), reinterpret_cast<const void*>(&helper));
    EXPECT_EQ(function_of(calls[1]), reinterpret_cast<const void*>(&deep));
    EXPECT_EQ(function_of(calls.back()), kernel);
  }
}

#if defined(__x86_64__)
// The frame of the kernel's function is gone; who called it is no part of it, this test for one.
TEST_F(CallPathsTest, EndWhereTheKernelWasCalled) {
  for (int k = 0; k < 2; ++k) {
    const Calls calls = run(tensorlane_test_jumps);
    ASSERT_EQ(calls.size(), 5u);
    EXPECT_EQ(function_of(calls.front()), reinterpret_cast<const void*>(&helper));
    EXPECT_EQ(function_of(calls.back()), reinterpret_cast<const void*>(&tensorlane_test_jumped_to));
  }
}
#endif

void of_many_sizes(const void*) {
  for (std::size_t bytes = 16; bytes < 4096; bytes += 64) {
    grows(bytes);
    EXPECT_EQ(seen, walked) << bytes;
    EXPECT_EQ(seen.size(), 3u);
  }
}

TEST_F(CallPathsTest, FramesMayChangeTheirSize) {
  run(of_many_sizes);
}

TEST_F(CallPathsTest, OutsideOfALaunchThereAreNone) {
  helper();
  EXPECT_TRUE(seen.empty());
  EXPECT_EQ(walked.size(), 1u) << "the call itself is known";
}

}  // namespace
}  // namespace tensorlane
