#include "tensorlane/device/call_stack.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <csignal>

namespace tensorlane {
namespace {

[[gnu::noinline]] void inner(CallStack& calls) {
  calls.capture();
  asm volatile("");  // no tail call
}
[[gnu::noinline]] void outer(CallStack& calls) {
  inner(calls);
  asm volatile("");
}

TEST(CallStack, HoldsTheCallersInnermostFirst) {
  CallStack calls;
  outer(calls);
  const auto at = [&](void (*function)(CallStack&)) {
    return std::ranges::find(calls.frames(), reinterpret_cast<const void*>(function), function_of) -
           calls.frames().begin();
  };
  const auto end = static_cast<std::ptrdiff_t>(calls.frames().size());
  ASSERT_LT(at(inner), end);
  ASSERT_LT(at(outer), end);
  EXPECT_LT(at(inner), at(outer));
}

TEST(CallStack, EndsWhereItIsFull) {
  struct Deep {
    static int go(CallStack& calls, int depth) {
      if (depth == 0) {
        calls.capture();
        return 0;
      }
      const int below = go(calls, depth - 1);
      asm volatile("");
      return below + 1;
    }
  };
  CallStack calls;
  EXPECT_EQ(Deep::go(calls, 1000), 1000);
  EXPECT_GE(calls.frames().size(), 64u);
  calls.capture();
  EXPECT_LT(calls.frames().size(), 64u) << "a second capture starts anew";
}

TEST(CallStack, ModulesAreToldApart) {
  const auto* const own = reinterpret_cast<const void*>(&inner);
  int local = 0;
  EXPECT_TRUE(module_of(own).contains(own));
  EXPECT_FALSE(module_of(own).contains(reinterpret_cast<const void*>(&mmap)));
  EXPECT_TRUE(module_of(&local).end == 0) << "the stack is no module";
  CallStack calls;
  outer(calls);
  const auto inside = calls.inside(module_of(own));
  EXPECT_FALSE(inside.empty());
  EXPECT_LT(inside.size(), calls.frames().size()) << "the start of the program is the C library's";
}

// What the handler below saw.
CallStack interrupted;
void on_signal(int, siginfo_t*, void* context) {
  interrupted.capture(context);
}

[[gnu::noinline]] void interrupts_itself() {
  raise(SIGUSR1);
  asm volatile("");
}

TEST(CallStack, OfAnInterruptedThreadLeavesTheHandlerOut) {
  struct sigaction action = {}, before = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGUSR1, &action, &before);
  interrupts_itself();
  sigaction(SIGUSR1, &before, nullptr);
  const auto frames = interrupted.frames();
  ASSERT_FALSE(frames.empty());
  EXPECT_EQ(std::ranges::find(frames, reinterpret_cast<const void*>(&on_signal), function_of),
            frames.end());
  EXPECT_NE(
      std::ranges::find(frames, reinterpret_cast<const void*>(&interrupts_itself), function_of),
      frames.end());
}

}  // namespace
}  // namespace tensorlane
