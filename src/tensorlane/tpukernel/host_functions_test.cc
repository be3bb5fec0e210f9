// Functions without an engine: sizes of the chip, addresses, strides, types, registration, pointers
// into device memory, and the functions that tell what an engine found.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "tensorlane/base/temporary_folder_test_support.h"
#include "tensorlane/device/kernel_registry.h"
#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/device/session.h"
#include "tensorlane/tpukernel/define.h"

namespace tensorlane::tpukernel {
namespace {

constexpr unsigned kNpuBytes = 262144;

// Kernels are lambdas here, whose name in a failed assertion says enough.
// NOLINTBEGIN(bugprone-lambda-function-name)

void does_nothing(const void*) {}

// Runs `kernel` on a device of its own; the failure's message, empty when there was none.
std::string launch(KernelFunction kernel) {
  DeviceMemory memory(bm1684x());
  Session session{
      .chip = bm1684x(), .memory = memory, .observers = {}, .launch = {"test", 0, &bm1684x()}};
  const auto failure = run_kernel(session, kernel, nullptr);
  return failure ? failure->message : std::string();
}

TEST(HostFunctions, SizesOfTheChip) {
  EXPECT_EQ(tpu_npu_num(), 64);
  EXPECT_EQ(tpu_bank_num(), 16);
  EXPECT_EQ(tpu_eu_num(DT_FP32), 16);
  EXPECT_EQ(tpu_eu_num(DT_INT8), 64);
  EXPECT_EQ(tpu_local_mem_size_per_npu(), 262144);
  EXPECT_EQ(tpu_gdma_shape_limit(2), 65535);
  EXPECT_EQ(tpu_gdma_move_max_wstride_byte_len(), 128);
  EXPECT_EQ(tpu_cache_line_size(), 64);
  EXPECT_EQ(tpu_core_num(), 1);
  EXPECT_EQ(tpu_core_index(), 0);
  EXPECT_LT(0, tpu_l2_sram_size());
  EXPECT_NE(tpu_l2_sram_get_start_addr(), tpu_global_mem_get_start_addr());
  EXPECT_NE(tpu_local_mem_get_start_addr(), tpu_global_mem_get_start_addr());
  EXPECT_NE(tpu_local_mem_get_start_addr(), tpu_static_mem_get_start_addr());
  EXPECT_FALSE(tpu_is_parallel_state());
  EXPECT_FALSE(tpu_is_descriptor_mode());
  EXPECT_EQ(tpu_workitem_num() + tpu_physical_core_num(), 2);
  EXPECT_EQ(tpu_workitem_index() + tpu_physical_core_id() + tpu_start_physical_core_id(), 0);
  EXPECT_EQ(tpu_global_mem_real_addr(0x123456789), 0x123456789U);
}

// Input channels in groups, output channels over the NPUs.
TEST(HostFunctions, SizesOfWeights) {
  EXPECT_EQ(tpu_get_ic_parallel(DT_INT8), 64);
  EXPECT_EQ(tpu_get_ic_parallel(DT_BFP16), 32);
  EXPECT_EQ(tpu_get_ic_parallel(DT_FP32), 1);
  const dim2 kernel = {3, 5};
  EXPECT_EQ(tpu_conv_kernel_size_per_oc(33, &kernel, DT_FP16), 64 * 15 * 2);
  EXPECT_EQ(tpu_conv_kernel_size_per_oc(33, &kernel, DT_FP32), 33 * 15 * 4);
  EXPECT_EQ(tpu_conv_kernel_size(65, 33, &kernel, DT_INT8), 2 * 64 * 15);
}

TEST(HostFunctions, Types) {
  EXPECT_EQ(tpu_data_type_bits(DT_INT4), 4);
  EXPECT_EQ(tpu_data_type_bits(DT_BFP16), 16);
  EXPECT_TRUE(tpu_is_data_type_int4(DT_UINT4));
  EXPECT_TRUE(tpu_is_data_type_int8(DT_INT8));
  EXPECT_FALSE(tpu_is_data_type_int8(DT_INT16));
  EXPECT_TRUE(tpu_is_data_type_int16(DT_UINT16));
  EXPECT_FALSE(tpu_is_data_type_int16(DT_FP16));
  EXPECT_TRUE(tpu_is_data_type_int32(DT_INT32));
  EXPECT_TRUE(tpu_is_data_type_fp8(DT_FP8E4M3));
  EXPECT_FALSE(tpu_is_data_type_fp8(DT_FP16));
}

TEST(HostFunctions, Strides) {
  // 3 x 5 fp16 elements are 30 bytes: 64 in the aligned layout, 32 elements.
  EXPECT_EQ(tpu_get_local_cstride(3, 5, true, DT_FP16), 32);
  EXPECT_EQ(tpu_get_local_cstride(3, 5, false, DT_FP16), 15);
  // 130 channels from NPU 0 are 3 rows, from NPU 63 4.
  EXPECT_EQ(tpu_get_local_nstride(32, 130, 0), 96);
  EXPECT_EQ(tpu_get_local_nstride(32, 130, 63), 128);
}

TEST(HostFunctions, AreRegistered) {
  tpu_register_kernel_func("registered by a test", reinterpret_cast<void*>(does_nothing),
                           FUNC_TYPE_1);
  EXPECT_EQ(find_kernel("registered by a test"), does_nothing);
  testing::internal::CaptureStdout();
  tpu_dump_registered_kernel_funcs();
  EXPECT_NE(testing::internal::GetCapturedStdout().find(": registered by a test\n"),
            std::string::npos);
}

TEST(HostFunctions, BookkeepingChangesNothing) {
  EXPECT_EQ(launch([](const void*) {
              char node[256], other[256];
              tpu_initialize();
              tpu_enable_check_id_node();
              tpu_get_id_node(node);
              tpu_set_id_node(node);
              tpu_get_parallel_id_node(node, other);
              tpu_set_parallel_id_node(node, other);
              tpu_disable_check_id_node();
              tpu_sync_all();
              tpu_flush_cache(tpu_global_mem_get_start_addr(), 64);
              tpu_invalidate_cache(tpu_global_mem_get_start_addr(), 64);
              tpu_hau_poll();
              const int index = 0;
              const u64 base = 4096;
              tpu_set_base_addr(&index, &base, 1);
              tpu_reset_base_addr();
              tpu_nop();
              tpu_poll();
              tpu_poll_empty();
            }),
            "");
}

// What the processor writes through a pointer, the engines see, and the other way round.
TEST(HostFunctions, PointersShowTheMemoriesOfTheDevice) {
  EXPECT_EQ(
      launch([](const void*) {
        const dim4 shape = {1, 1, 1, 1};
        const scalar_t one = {.f32 = 1};
        const unsigned long long global = tpu_global_mem_get_start_addr() + 4096;
        const float value = 2.5F;
        tpu_kernel_memcpy(tpu_local_mem_addr(3, 128), &value, sizeof value);
        tpu_bdc_fp_add_C(3 * kNpuBytes + 256, 3 * kNpuBytes + 128, one, &shape, nullptr, nullptr,
                         DT_FP32);
        tpu_gdma_cpy_L2S(global, 3 * kNpuBytes + 256, &shape, nullptr, nullptr, DT_FP32);
        tpu_poll();
        float sum = 0;
        std::memcpy(&sum, tpu_global_mem_addr(global), sizeof sum);
        TPUKERNEL_ASSERT(sum == 3.5F);
        TPUKERNEL_ASSERT(tpu_local_mem_addr_unified(3 * kNpuBytes + 128) ==
                         tpu_local_mem_addr(3, 128));
        tpu_kernel_memset(tpu_l2_sram_addr(tpu_l2_sram_get_start_addr()), 7, 4);
        tpu_gdma_cpy_S2L(0, tpu_l2_sram_get_start_addr(), &shape, nullptr, nullptr, DT_FP32);
        tpu_poll();
        TPUKERNEL_ASSERT(*static_cast<const unsigned*>(tpu_local_mem_addr(0, 0)) == 0x07070707u);
      }),
      "");
}

TEST(HostFunctions, PrintALocalTensor) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(launch([](const void*) {
              const dim4 shape = {1, 2, 1, 3};
              const scalar_t value = {.s8 = -7};
              tpu_bdc_set_C(0, value, &shape, nullptr, DT_INT8);
              tpu_poll();
              tpu_print_local_mem_data(0, 0, &shape, nullptr, DT_INT8);
            }),
            "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "n 0 c 0\n  -7 -7 -7\nn 0 c 1\n  -7 -7 -7\n");
}

TEST(HostFunctions, PrintAndDumpAGlobalTensor) {
  const TemporaryFolder folder;
  const std::string name = folder / "dumped.json";
  static const char* file = nullptr;
  file = name.c_str();
  testing::internal::CaptureStdout();
  EXPECT_EQ(launch([](const void*) {
              const dim4 shape = {1, 2, 1, 2}, apart = {8, 4, 4, 1};
              const int dims[] = {2, 3};
              const global_addr_t at = tpu_global_mem_get_start_addr();
              const short values[] = {1, -2, 3, -4, 5, -6};
              tpu_kernel_memcpy(tpu_global_mem_addr(at), values, sizeof values);
              tpu_print_global_mem_data(at, &shape, &apart, DT_INT16);
              tpu_dump_global_layer_data(file, at, dims, 2, DT_INT16);
            }),
            "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "n 0 c 0\n  1 -2\nn 0 c 1\n  5 -6\n");
  std::string text;
  std::getline(std::ifstream(name), text);
  EXPECT_EQ(text, R"({"shape":[2,3,],"is_fp":0,"data":[1,-2,3,-4,5,-6,]})");
  EXPECT_NE(launch([](const void*) {
              const dim4 shape = {1, 1, 1, 1};
              tpu_print_global_mem_data(16, &shape, nullptr, DT_INT16);
            }).find("0x10"),
            std::string::npos);
}

// Without a record nothing is checked; the first check that fails ends the launch and all records.
TEST(HostFunctions, RangesOfMemoryAreCheckedAgainstThoseRecorded) {
  EXPECT_EQ(launch([](const void*) {
              const global_addr_t at = tpu_global_mem_get_start_addr();
              const dim4 shape = {2, 1, 1, 4}, apart = {100, 4, 4, 1};
              tpu_mem_check_range(at, 1000, 1);
              tpu_mem_record_add(at, 216, 0);
              tpu_mem_record_add(at + 216, 64, 0);
              tpu_mem_check_range(at + 200, 16, 1);
              tpu_mem_check_tensor(at, &shape, &apart, DT_INT16, 0);  // 104 elements
              tpu_mem_check_matrix(at, 3, 8, 50, DT_INT16, 0);        // 108 elements
              tpu_mem_check_range(tpu_l2_sram_get_start_addr(), 1000, 0);
              tpu_mem_record_del(at + 216, 64);
            }),
            "");
  EXPECT_NE(launch([](const void*) {
              tpu_mem_check_range(tpu_global_mem_get_start_addr() + 208, 16, 1);
            }).find("tpu_mem_check_range: 16 bytes from 0x1000000d0 on are in no recorded range"),
            std::string::npos);
  EXPECT_EQ(launch([](const void*) {
              tpu_mem_check_range(tpu_global_mem_get_start_addr() + 208, 16, 1);
              tpu_mem_record_add(tpu_global_mem_get_start_addr(), 32, 0);
            }),
            "");
  EXPECT_NE(launch([](const void*) {
              tpu_mem_record_add(tpu_global_mem_get_start_addr() + 31, 32, 0);
            }).find("overlaps"),
            std::string::npos);
  EXPECT_NE(launch([](const void*) {
              tpu_mem_record_del(tpu_global_mem_get_start_addr(), 32);
            }).find("are not recorded"),
            std::string::npos);
}

// Positions and values of what is not 0, and how many there were.
TEST(HostFunctions, FiltersSayWhatTheyFound) {
  EXPECT_EQ(launch([](const void*) {
              const dim4 shape = {1, 4, 1, 4}, one = {1, 1, 1, 1}, step = one;
              const scalar_t zero = {.u32 = 0}, nine = {.u32 = 9};
              const unsigned long long output = tpu_global_mem_get_start_addr();
              tpu_bdc_set_C(0, zero, &shape, nullptr, DT_UINT32);
              tpu_bdc_set_C(2 * kNpuBytes + 4, nine, &one, &step, DT_UINT32);  // [0, 2, 0, 1]
              tpu_bdc_set_C(3 * kNpuBytes + 12, nine, &one, &step, DT_UINT32);
              tpu_gdma_nonzero_L2S(output, 0, &shape, DT_UINT32, 100);
              tpu_poll();
              TPUKERNEL_ASSERT(tpu_gdma_get_filter_num() == 2);
              const auto* found = static_cast<const unsigned*>(tpu_global_mem_addr(output));
              TPUKERNEL_ASSERT(found[0] == 100 + 9 && found[1] == 100 + 15);
              tpu_gdma_mask_select_L2S(output, 0, 0, 1, &shape, DT_UINT32, DT_UINT32);
              tpu_poll();
              TPUKERNEL_ASSERT(tpu_gdma_get_filter_num() == 2);
              TPUKERNEL_ASSERT(found[0] == 9 && found[1] == 9);
            }),
            "");
}

TEST(HostFunctions, ChannelsAndRanges) {
  // Channel 130 is in the third row, on NPU 2.
  EXPECT_EQ(tpu_npu_c_offset(130, 32, DT_FP16), 2 * 32 * 2);
  EXPECT_EQ(tpu_unified_c_offset(130, 32, DT_FP16), 2 * 262144 + 2 * 32 * 2);
  const dim5 deep = {2, 3, 4, 5, 6};
  dim4 flat{};
  tpu_local_shape_5d_to_4d(&deep, &flat);
  EXPECT_EQ(flat.n, 8);
  EXPECT_EQ(flat.c, 3);
  EXPECT_EQ(flat.h, 5);
  EXPECT_EQ(flat.w, 6);
  const range_t apart[] = {{0, 3}, {4, 7}, {9, 9}}, touching[] = {{0, 3}, {8, 9}, {3, 5}};
  EXPECT_FALSE(tpu_any_range_overlapped(apart, 3));
  EXPECT_TRUE(tpu_any_range_overlapped(touching, 3));
}

TEST(HostFunctions, FiltersInSystemMemory) {
  EXPECT_EQ(launch([](const void*) {
              const dim4 shape = {1, 1, 2, 4};
              const unsigned long long input = tpu_global_mem_get_start_addr(),
                                       output = input + 4096;
              auto* const data = static_cast<unsigned char*>(tpu_global_mem_addr(input));
              for (int i = 0; i < 8; ++i) data[i] = static_cast<unsigned char>(i % 3);
              tpu_gdma_nonzero_S2S(output, input, &shape, DT_UINT8, 10);
              tpu_poll();
              const unsigned want[] = {11, 12, 14, 15, 17};
              TPUKERNEL_ASSERT(tpu_gdma_get_filter_num() == 5);
              TPUKERNEL_ASSERT(std::memcmp(tpu_global_mem_addr(output), want, sizeof want) == 0);
              tpu_gdma_mask_select_S2S(output, input, input, 0, &shape, DT_UINT8, DT_UINT8);
              tpu_poll();
              const unsigned char kept[] = {1, 2, 1, 2, 1};
              TPUKERNEL_ASSERT(std::memcmp(tpu_global_mem_addr(output), kept, sizeof kept) == 0);
            }),
            "");
}

// start, start + step, ...: along every NPU, and over the channels.
TEST(HostFunctions, Sequences) {
  EXPECT_EQ(launch([](const void*) {
              tpu_bdc_arithmetic_sequence_general(0, 4096, 64, 5, -2, 100);
              tpu_bdc_arithmetic_sequence_distribute_aligned(8192, 7, 3, 130);
              tpu_poll();
              for (int npu = 0; npu < 64; ++npu) {
                const auto* row = static_cast<const int*>(tpu_local_mem_addr(npu, 0));
                for (int i = 0; i < 100; ++i) TPUKERNEL_ASSERT(row[i] == 5 - 2 * (100 * npu + i));
              }
              for (int c = 0; c < 130; ++c) {
                const auto* row = static_cast<const int*>(tpu_local_mem_addr(c % 64, 8192));
                TPUKERNEL_ASSERT(row[c / 64 * 16] == 7 + 3 * c);
              }
            }),
            "");
}

// The tables of functions are the same on every NPU.
TEST(HostFunctions, TablesAreOnEveryNpu) {
  EXPECT_EQ(launch([](const void*) {
              tpu_bdc_load_fp32_tan_coeff(0);
              tpu_bdc_load_fp_erf_coeff(4096, DT_FP16);
              tpu_bdc_load_fp_log_coeff(8192, DT_FP32);
              tpu_bdc_load_fp_arcsin_coeff(12288, DT_BFP16);
              tpu_poll();
              for (int npu = 1; npu < 64; ++npu) {
                for (const unsigned at : {0U, 4096U, 8192U, 12288U}) {
                  TPUKERNEL_ASSERT(
                      std::memcmp(tpu_local_mem_addr(npu, at), tpu_local_mem_addr(0, at), 64) == 0);
                }
              }
              const auto* words = static_cast<const unsigned*>(tpu_local_mem_addr(0, 8192));
              TPUKERNEL_ASSERT((words[0] | words[1] | words[2] | words[3]) != 0);
              TPUKERNEL_ASSERT(sfu_taylor_log_len(DT_FP32) > 0 && sfu_taylor_exp_len(DT_FP32) > 0);
            }),
            "");
}

// NOLINTEND(bugprone-lambda-function-name)

}  // namespace
}  // namespace tensorlane::tpukernel
