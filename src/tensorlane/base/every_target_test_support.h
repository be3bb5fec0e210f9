// Tests of vectors run on every instruction set that this processor and the build have.
#ifndef TENSORLANE_COMPUTE_ROWS_EVERY_TARGET_TEST_SUPPORT_H_
#define TENSORLANE_COMPUTE_ROWS_EVERY_TARGET_TEST_SUPPORT_H_

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>

#include "tensorlane/base/fp_environment.h"

namespace tensorlane::targets_test {

// Calls f() with each of them chosen until one fails fatally; then the best one is chosen again.
template <class F>
void for_every_target(const F& f) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    f();
    if (testing::Test::HasFatalFailure()) break;
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// The same in the float environment in which rows are computed.
template <class F>
void on_every_target(const F& f) {
  for_every_target([&] {
    const ChipFloatScope flush;
    f();
  });
}

}  // namespace tensorlane::targets_test

#endif  // TENSORLANE_COMPUTE_ROWS_EVERY_TARGET_TEST_SUPPORT_H_
