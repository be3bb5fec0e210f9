// The functions of several cores as kernels call them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tensorlane/device/device.h"
#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/tpukernel/define.h"

namespace tensorlane::tpukernel {
namespace {

using testing::HasSubstr;

constexpr int kCores = 4;

// What a launch of `kernel` over cores of a BM1690 says; empty where it is done. `seen` is the
// kernel's argument.
std::string launch(KernelFunction kernel, void* seen, int cores = kCores,
                   const Chip& chip = find_chip("bm1690")) {
  std::string message;
  Device device(chip);
  device.on_failure([&](const Failure& failure) { message = failure.message; });
  Device::Origin origin;
  origin.cores = cores;
  device.wait(device.submit(
      "kernel", [=](Session& session) { return run_kernel(session, kernel, seen); }, origin));
  return message;
}

TEST(CoresFunctions, NumbersAreThoseOfTheLaunch) {
  int seen[kCores][8] = {};
  const std::string message = launch(
      [](const void* args) {
        int* own = static_cast<int(*)[8]>(const_cast<void*>(args))[tpu_core_index()];
        own[0] = tpu_core_num();
        own[1] = tpu_workitem_num();
        own[2] = tpu_workitem_index();
        own[3] = tpu_group_num();
        own[4] = tpu_group_index();
        own[5] = tpu_physical_core_num();
        own[6] = tpu_physical_core_id();
        own[7] = tpu_start_physical_core_id();
      },
      seen);
  EXPECT_EQ(message, "");
  for (int k = 0; k < kCores; ++k)
    EXPECT_THAT(seen[k], testing::ElementsAre(kCores, kCores, k, 1, 0, 8, k, 0));
}

TEST(CoresFunctions, BarriersAndMessagesEnd) {
  const std::string message = launch(
      [](const void*) {
        const int core = tpu_core_index(), next = (core + 1) % tpu_core_num();
        tpu_initialize();
        tpu_sync_all();
        tpu_bdc_send_msg(100 + next, 1);
        tpu_bdc_wait_msg(100 + core, 1);
        tpu_gdma_send_msg(200 + next, 1);
        tpu_gdma_wait_msg(200 + core, 1);
        tpu_hau_send_msg(300 + next, 1);
        tpu_hau_wait_msg(300 + core, 1);
        tpu_sdma_send_msg(400 + next, 1);
        tpu_sdma_wait_msg(400 + core, 1);
        tpu_sync_core();
        tpu_sync_all();
        tpu_poll();
      },
      nullptr);
  EXPECT_EQ(message, "");
}

TEST(CoresFunctions, OneCoreHasNothingToWaitFor) {
  const auto barriers = [](const void*) {
    tpu_initialize();
    tpu_sync_core();
    tpu_sync_all();
    tpu_poll();
  };
  EXPECT_EQ(launch(barriers, nullptr, 1), "");
  EXPECT_EQ(launch(barriers, nullptr, 1, bm1684x()), "");
}

TEST(CoresFunctions, MistakesSayWhatIsAllowed) {
  const auto far = [](const void*) { tpu_gdma_send_msg(512, 1); };
  const auto none = [](const void*) { tpu_bdc_wait_msg(1, 0); };
  const auto alone = [](const void*) {
    tpu_hau_wait_msg(7, 2);
    tpu_poll();
  };
  EXPECT_THAT(launch(far, nullptr), HasSubstr("tpu_gdma_send_msg: msg_id = 512"));
  EXPECT_THAT(launch(none, nullptr), HasSubstr("send_cnt = 0"));
  EXPECT_THAT(launch(alone, nullptr, 1), HasSubstr("message 7: 0 of 2 sends came"));
  const std::string message =
      launch([](const void*) { tpu_sdma_send_msg(1, 1); }, nullptr, 1, bm1684x());
  EXPECT_THAT(message, HasSubstr("tpu_sdma_send_msg"));
}

}  // namespace
}  // namespace tensorlane::tpukernel
