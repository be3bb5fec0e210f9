// Functions without an engine: registration, command numbers, pointers into device memory.
#include <gtest/gtest.h>

#include <cstring>

#include "tensorlane/device/kernel_registry.h"
#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/device/session.h"
#include "tensorlane/okk/define.h"

namespace tensorlane::okk {
namespace {

void does_nothing(const void*) {}

TEST(Registration, KernelsAreFoundByTheirNameAndListed) {
  okk_register_kernel_func("registered by a test", does_nothing);
  EXPECT_EQ(find_kernel("registered by a test"), does_nothing);
  EXPECT_EQ(find_kernel("registered by nobody"), nullptr);
  testing::internal::CaptureStdout();
  okk_dump_registered_kernel_funcs();
  EXPECT_NE(testing::internal::GetCapturedStdout().find(": registered by a test\n"),
            std::string::npos);
}

// Runs `kernel` on a device of its own; the failure's message, empty when there was none.
std::string launch(KernelFunction kernel, const void* args = nullptr) {
  DeviceMemory memory(bm1684());
  Session session{
      .chip = bm1684(), .memory = memory, .observers = {}, .launch = {"test", 0, &bm1684()}};
  const auto failure = run_kernel(session, kernel, args);
  return failure ? failure->message : std::string();
}

TEST(CommandNumbers, AreAcceptedAndChangeNothing) {
  EXPECT_EQ(launch([](const void*) {
              int node[16] = {};
              okk_enable_check_id_node();
              okk_get_id_node(node);
              okk_set_id_node(node);
              okk_disable_check_id_node();
            }),
            "");
}

// What the processor writes through a pointer, the engines see, and the other way round.
TEST(Pointers, ShowTheMemoriesOfTheDevice) {
  EXPECT_EQ(launch([](const void*) {
              const dim4 shape = {1, 1, 1, 1};
              const unsigned long long global = okk_global_mem_start_addr() + 4096;
              const float value = 2.5F;
              std::memcpy(okk_local_mem_addr(3, 128), &value, sizeof value);
              okk_bdc_add_C(3 * 524288 + 256, 3 * 524288 + 128, 1.0F, &shape, nullptr, nullptr);
              okk_gdma_32bit_cpy_L2S(global, 3 * 524288 + 256, &shape, nullptr, nullptr);
              okk_poll();
              float sum = 0;
              std::memcpy(&sum, okk_global_mem_addr(global), sizeof sum);
              OKKERNEL_ASSERT(sum == 3.5F);
              *okk_l2_sram_addr(okk_l2_sram_start_addr()) = 7;
              *okk_dtcm_addr(okk_dtcm_start_addr() + 5) = 8;
              OKKERNEL_ASSERT(*okk_l2_sram_addr(okk_l2_sram_start_addr()) == 7);
              // Local addresses run on into the next NPU, with or without the window's base.
              OKKERNEL_ASSERT(okk_local_mem_addr(3, 524288) == okk_local_mem_addr(4, 0));
              OKKERNEL_ASSERT(okk_local_mem_addr(3, 0x08000010) == okk_local_mem_addr(3, 16));
              OKKERNEL_ASSERT(*okk_dtcm_addr(okk_dtcm_start_addr() + 5) == 8);
            }),
            "");
}

TEST(Pointers, OutsideTheirMemoryEndTheLaunch) {
  EXPECT_NE(launch([](const void*) { okk_local_mem_addr(64, 0); }), "");
  EXPECT_NE(launch([](const void*) { okk_local_mem_addr(63, 524288); }), "");
  EXPECT_NE(launch([](const void*) { okk_global_mem_addr(4096); }), "");
  EXPECT_NE(launch([](const void*) { okk_l2_sram_addr(0x10000000U + (4U << 20U)); }), "");
  EXPECT_NE(launch([](const void*) { okk_dtcm_addr(0); }), "");
}

}  // namespace
}  // namespace tensorlane::okk
