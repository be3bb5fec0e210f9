// Assertions of kernels that were compiled against another edition of tpu_kernel.h.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/device/memory.h"
#include "tensorlane/device/session.h"
#include "tpu_kernel.h"

namespace tensorlane::tpukernel {
namespace {

class Refusals : public Observer {
 public:
  void refused(const Refusal& refusal) override { kinds.push_back(refusal.kind); }
  std::vector<Refusal::Kind> kinds;
};

int steps = 0;

// As the macro of those headers expands.
void kernel_that_asserts(const void* args) {
  const bool holds = *static_cast<const bool*>(args);
  steps = 1;
  if (get_atomic_cmodel_assert_enable() != 0 && !holds) {
    __print_trace();
    steps = 2;
  }
}

void kernel_of_an_older_header(const void*) {
  print_trace();
}

struct Launched {
  std::string failure;
  std::vector<Refusal::Kind> refusals;
};

Launched launch(KernelFunction kernel, bool holds) {
  DeviceMemory memory(bm1684x());
  Refusals observer;
  Observer* const observers[] = {&observer};
  Session session{.chip = bm1684x(),
                  .memory = memory,
                  .observers = observers,
                  .launch = {"test", 0, &bm1684x()}};
  const auto failure = run_kernel(session, kernel, &holds);
  return {failure ? failure->message : std::string(), observer.kinds};
}

TEST(ModelHooks, AFailedAssertionEndsTheLaunchAsARefusal) {
  const Launched ended = launch(kernel_that_asserts, false);
  EXPECT_NE(ended.failure.find("TPUKERNEL_ASSERT"), std::string::npos) << ended.failure;
  EXPECT_EQ(ended.refusals, std::vector{Refusal::Kind::kAssertion});
  EXPECT_EQ(steps, 1) << "the kernel went on";
  EXPECT_EQ(launch(kernel_of_an_older_header, true).refusals,
            std::vector{Refusal::Kind::kAssertion});
}

TEST(ModelHooks, AnAssertionThatHoldsChangesNothing) {
  const Launched ended = launch(kernel_that_asserts, true);
  EXPECT_EQ(ended.failure, "");
  EXPECT_TRUE(ended.refusals.empty());
}

TEST(ModelHooks, OutsideALaunchATraceDoesNothing) {
  __print_trace();
  print_trace();
}

}  // namespace
}  // namespace tensorlane::tpukernel
