#include "tensorlane/device/kernel_runner.h"

#include <gtest/gtest.h>

#include <cfenv>

#include "tensorlane/base/error.h"
#include "tensorlane/device/device_test_support.h"

namespace tensorlane {
namespace {

struct Seen {
  const void* args = nullptr;
  Session* session = nullptr;
  int rounding = -1;
  bool went_on = false;
} seen;

void returns(const void* args) {
  seen = {args, current_session(), std::fegetround(), true};
}

void fails_twice(const void*) {
  set_failure("the cause", &seen);
  set_failure("its consequence", nullptr);
  end_kernel();
  seen.went_on = true;  // NOLINT: must not be reached
}

void leaves_rounding_changed(const void*) {
  std::fesetround(FE_UPWARD);
  seen.rounding = std::fegetround();
}

TEST(KernelRunner, GivesTheKernelItsArgumentsAndItsSession) {
  toy::Machine machine;
  const int args = 0;
  EXPECT_EQ(current_session(), nullptr);
  EXPECT_FALSE(run_kernel(machine.session, returns, &args));
  EXPECT_EQ(seen.args, &args);
  EXPECT_EQ(seen.session, &machine.session);
  EXPECT_TRUE(seen.went_on);
  EXPECT_EQ(current_session(), nullptr);
}

TEST(KernelRunner, TheFirstFailureEndsTheKernelAndCounts) {
  toy::Machine machine;
  seen = {};
  const std::optional<Failure> failure = run_kernel(machine.session, fails_twice, nullptr);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message, "the cause");
  EXPECT_EQ(failure->call_site, &seen);
  EXPECT_FALSE(seen.went_on);
  EXPECT_EQ(current_session(), nullptr);
  EXPECT_FALSE(run_kernel(machine.session, returns, nullptr)) << "a failure outlives its launch";
}

TEST(KernelRunner, AFailureOutsideALaunchIsADefect) {
  EXPECT_THROW(set_failure("x", nullptr), InternalError);
}

// The host's rounding and traps do not reach a kernel's own arithmetic, nor the kernel's the host.
TEST(KernelRunner, KernelsRoundToNearestWhateverTheHostDoes) {
  toy::Machine machine;
  for (const int mode : {FE_TOWARDZERO, FE_DOWNWARD, FE_TONEAREST}) {
    std::fesetround(mode);
    run_kernel(machine.session, returns, nullptr);
    EXPECT_EQ(std::fegetround(), mode);
    EXPECT_EQ(seen.rounding, FE_TONEAREST);
    run_kernel(machine.session, leaves_rounding_changed, nullptr);
    EXPECT_EQ(std::fegetround(), mode);
    EXPECT_EQ(seen.rounding, FE_UPWARD);
  }
  std::fesetround(FE_TONEAREST);
}

}  // namespace
}  // namespace tensorlane
