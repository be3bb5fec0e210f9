// tpuv7_rt.h and tpuDNN.h as a program uses them: order of calls, statuses, launches, two modules
// with kernels of one name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tensorlane/tpukernel/define.h"
#include "tpuDNN.h"
#include "tpuv7_rt.h"

namespace {

using ::testing::HasSubstr;

// What the modules' kernels need of the program they are loaded into.
[[gnu::used]] const void* const exported[] = {
    reinterpret_cast<const void*>(tpu_register_kernel_func),
    reinterpret_cast<const void*>(tpu_initialize), reinterpret_cast<const void*>(tpu_poll),
    reinterpret_cast<const void*>(tpu_gdma_system_cpy),
    reinterpret_cast<const void*>(tpu_gdma_system_set)};

std::uint64_t address_of(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

// What the last call said on stderr.
template <class F>
std::string said(F body) {
  testing::internal::CaptureStderr();
  body();
  return testing::internal::GetCapturedStderr();
}

struct FillArgs {
  std::uint64_t output;
  int value, count;
};

class Tpuv7 : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(tpuRtInit(), tpuRtSuccess);
    ASSERT_EQ(tpuRtSetDevice(0), tpuRtSuccess);
    ASSERT_EQ(tpuRtStreamCreate(&stream_), tpuRtSuccess);
    ASSERT_EQ(tpuRtMalloc(&memory_, 64, 0), tpuRtSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(tpuRtFree(&memory_, 1), tpuRtSuccess);
    EXPECT_EQ(tpuRtStreamDestroy(stream_), tpuRtSuccess);
  }
  int first() {
    int value = 0;
    EXPECT_EQ(tpuRtMemcpyD2S(&value, memory_, sizeof value), tpuRtSuccess);
    return value;
  }
  tpuRtStatus_t fill(tpuRtKernelModule_t module, int value) {
    FillArgs args{address_of(memory_), value, 16};
    return tpuRtKernelLaunch(module, "fill", &args, sizeof args, 1, 1, stream_);
  }

  tpuRtStream_t stream_ = nullptr;
  void* memory_ = nullptr;
};

TEST(Tpuv7DeathTest, NothingGoesBeforeTheStart) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto before = [] {
    int count = -1;
    void* memory = nullptr;
    const bool right = tpuRtGetDeviceCount(&count) == tpuRtSuccess && count == 0 &&
                       tpuRtMalloc(&memory, 4, 0) == tpuRtErrorInitializationError;
    std::exit(right ? 0 : 1);
  };
  EXPECT_EXIT(before(), testing::ExitedWithCode(0), "tpuRtMalloc: .*call tpuRtInit first");
}

TEST_F(Tpuv7, DevicesAreTwo) {
  int count = 0, device = -1;
  EXPECT_EQ(tpuRtGetDeviceCount(&count), tpuRtSuccess);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(tpuRtSetDevice(1), tpuRtSuccess);
  EXPECT_EQ(tpuRtGetDevice(&device), tpuRtSuccess);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(tpuRtSetDevice(0), tpuRtSuccess);
  EXPECT_THAT(said([] { EXPECT_EQ(tpuRtSetDevice(2), tpuRtErrorNoDevice); }),
              HasSubstr("tpuRtSetDevice: device = 2; devices are 0..1"));
}

TEST_F(Tpuv7, CopiesAndFillsStayInTheirAllocation) {
  const std::vector<int> data(16, 7);
  std::vector<int> read(16);
  EXPECT_EQ(tpuRtMemcpyS2DAsync(memory_, data.data(), 64, stream_), tpuRtSuccess);
  EXPECT_EQ(tpuRtMemcpyD2SAsync(read.data(), memory_, 64, stream_), tpuRtSuccess);
  EXPECT_EQ(read, data);
  EXPECT_EQ(tpuRtMemset(memory_, 1, 4), tpuRtSuccess);
  EXPECT_EQ(first(), 0x01010101);
  auto* const later = static_cast<char*>(memory_) + 32;
  EXPECT_EQ(tpuRtMemcpyD2D(later, memory_, 4), tpuRtSuccess);
  EXPECT_EQ(tpuRtMemcpyD2S(read.data(), later, 8), tpuRtSuccess);
  EXPECT_EQ(read[0], 0x01010101);
  EXPECT_EQ(read[1], 7);
  EXPECT_THAT(said([&] { EXPECT_EQ(tpuRtMemset(memory_, 0, 65), tpuRtErrParam); }),
              HasSubstr("past the allocation of 64 bytes"));
  EXPECT_THAT(said([&] { EXPECT_EQ(tpuRtMemcpyD2S(nullptr, memory_, 4), tpuRtErrParam); }),
              HasSubstr("hostPtr is NULL"));
  EXPECT_THAT(said([&] {
                EXPECT_EQ(tpuRtMemcpyS2DAsync(memory_, data.data(), 4, nullptr),
                          tpuRtErrorNoStream);
              }),
              HasSubstr("stream is NULL"));
}

TEST_F(Tpuv7, MemoryOfOtherDevicesIsCopiedBetweenThem) {
  ASSERT_EQ(tpuRtSetDevice(1), tpuRtSuccess);
  void* there = nullptr;
  ASSERT_EQ(tpuRtMalloc(&there, 4, 1), tpuRtSuccess);
  EXPECT_EQ(tpuRtMemset(there, 3, 4), tpuRtSuccess);
  ASSERT_EQ(tpuRtSetDevice(0), tpuRtSuccess);
  EXPECT_EQ(tpuRtMemcpyP2P(memory_, 0, there, 1, 4), tpuRtSuccess);
  EXPECT_EQ(first(), 0x03030303);
  ASSERT_EQ(tpuRtSetDevice(1), tpuRtSuccess);
  EXPECT_EQ(tpuRtFree(&there, 1), tpuRtSuccess);
  ASSERT_EQ(tpuRtSetDevice(0), tpuRtSuccess);
}

TEST_F(Tpuv7, MemoryIsCounted) {
  std::uint64_t all = 0, before = 0, after = 0, peak = 0;
  EXPECT_EQ(tpuRtGetAllMemory(&all), tpuRtSuccess);
  EXPECT_EQ(tpuRtGetFreeMemory(&before), tpuRtSuccess);
  EXPECT_EQ(tpuRtResetPeakMemory(), tpuRtSuccess);
  void* block = nullptr;
  ASSERT_EQ(tpuRtMalloc(&block, 1 << 20, 0), tpuRtSuccess);
  EXPECT_EQ(tpuRtFree(&block, 1), tpuRtSuccess);
  EXPECT_EQ(tpuRtGetFreeMemory(&after), tpuRtSuccess);
  EXPECT_EQ(tpuRtGetPeakMemory(&peak), tpuRtSuccess);
  EXPECT_EQ(before, after);
  EXPECT_GE(peak, all - before + (1 << 20));
  EXPECT_THAT(said([&] { EXPECT_EQ(tpuRtFree(&block, 1), tpuRtErrParam); }),
              HasSubstr("was freed"));
}

TEST_F(Tpuv7, EachModuleKeepsItsKernels) {
  const tpuRtKernelModule_t ones = tpuRtKernelLoadModuleFile(TEST_MODULE_1, stream_);
  const tpuRtKernelModule_t twos = tpuRtKernelLoadModuleFile(TEST_MODULE_2, stream_);
  const tpuRtKernelModule_t again = tpuRtKernelLoadModuleFile(TEST_MODULE_1, stream_);
  ASSERT_NE(ones, nullptr);
  ASSERT_NE(twos, nullptr);
  EXPECT_EQ(fill(ones, 5), tpuRtSuccess);
  EXPECT_EQ(first(), 5);
  EXPECT_EQ(fill(twos, 5), tpuRtSuccess);
  EXPECT_EQ(first(), 10);
  EXPECT_EQ(fill(again, 6), tpuRtSuccess);
  EXPECT_EQ(first(), 6);
  for (const tpuRtKernelModule_t module : {ones, twos, again})
    EXPECT_EQ(tpuRtKernelUnloadModule(module, stream_), tpuRtSuccess);
  EXPECT_THAT(said([&] { EXPECT_EQ(fill(ones, 5), tpuRtErrorInvalidResourceHandle); }),
              HasSubstr("module is not loaded"));
}

TEST_F(Tpuv7, AModuleMayComeFromMemoryAndAsynchronousLaunchesHaveTheirOwnArguments) {
  std::ifstream file(TEST_MODULE_1, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const tpuRtKernelModule_t module = tpuRtKernelLoadModule(bytes.data(), bytes.size(), stream_);
  ASSERT_NE(module, nullptr);
  FillArgs args{address_of(memory_), 9, 16};
  tpuRtEvent_t event = nullptr, later = nullptr;
  ASSERT_EQ(tpuRtEventCreate(&event), tpuRtSuccess);
  ASSERT_EQ(tpuRtEventCreate(&later), tpuRtSuccess);
  EXPECT_EQ(tpuRtEventRecord(event, stream_), tpuRtSuccess);
  EXPECT_EQ(tpuRtKernelLaunchAsync(module, "fill", &args, sizeof args, 1, 1, stream_),
            tpuRtSuccess);
  std::memset(&args, 0xEE, sizeof args);
  EXPECT_EQ(tpuRtEventRecord(later, stream_), tpuRtSuccess);
  EXPECT_EQ(tpuRtEventSynchronize(later), tpuRtSuccess);
  EXPECT_EQ(tpuRtEventQuery(later), tpuRtSuccess);
  float ms = -1;
  EXPECT_EQ(tpuRtEventElapsedTime(&ms, event, later), tpuRtSuccess);
  EXPECT_GE(ms, 0);
  int called = 0;
  const auto count = [](void* counter) { return ++*static_cast<int*>(counter); };
  EXPECT_EQ(tpuRtStreamAddCallback(stream_, count, &called), tpuRtSuccess);
  EXPECT_EQ(called, 1);
  EXPECT_EQ(tpuRtStreamSynchronize(stream_), tpuRtSuccess);
  EXPECT_EQ(first(), 9);
  EXPECT_EQ(tpuRtEventFree(event, stream_), tpuRtSuccess);
  EXPECT_EQ(tpuRtEventFree(later, stream_), tpuRtSuccess);
  EXPECT_EQ(tpuRtKernelUnloadModule(module, stream_), tpuRtSuccess);
}

TEST_F(Tpuv7, WrongLaunchesAreStatusesAndTheDeviceStaysUsable) {
  const tpuRtKernelModule_t module = tpuRtKernelLoadModuleFile(TEST_MODULE_1, stream_);
  FillArgs args{address_of(memory_), 4, 16};
  const auto launch = [&](const char* name, std::uint32_t size, std::uint64_t groups,
                          std::uint64_t cores) {
    return tpuRtKernelLaunch(module, name, &args, size, groups, cores, stream_);
  };
  EXPECT_THAT(said([&] { EXPECT_EQ(launch("fil", sizeof args, 1, 1), tpuRtErrFailure); }),
              HasSubstr("did you mean 'fill'?"));
  EXPECT_THAT(said([&] { EXPECT_EQ(launch("fill", sizeof args, 2, 1), tpuRtErrParam); }),
              HasSubstr("group_num = 2"));
  EXPECT_THAT(said([&] { EXPECT_EQ(launch("fill", sizeof args, 1, 9), tpuRtErrParam); }),
              HasSubstr("block_num = 9; the "));
  EXPECT_THAT(said([&] { EXPECT_EQ(launch("fill", 17, 1, 2), tpuRtErrParam); }),
              HasSubstr("17 bytes of arguments are not 2 structs of one size"));
  args.count = 0;
  EXPECT_THAT(said([&] { EXPECT_EQ(launch("fill", sizeof args, 1, 1), tpuRtErrFailure); }),
              HasSubstr("tpu_gdma_system_set"));
  args.count = 16;
  EXPECT_EQ(launch("fill", sizeof args, 1, 1), tpuRtSuccess);
  EXPECT_EQ(first(), 4);
  EXPECT_THAT(said([&] { EXPECT_EQ(tpuRtKernelLoadModuleFile("/nowhere.so", stream_), nullptr); }),
              HasSubstr("linked with libtpuv7_emulator.so"));
  EXPECT_EQ(tpuRtKernelUnloadModule(module, stream_), tpuRtSuccess);
}

TEST_F(Tpuv7, TpuDnnLaunchesOverAStream) {
  const tpuRtKernelModule_t module = tpuRtKernelLoadModuleFile(TEST_MODULE_1, stream_);
  EXPECT_THAT(said([&] { EXPECT_EQ(tpudnnHandleFromStream(1, stream_, module), nullptr); }),
              HasSubstr("deviceID = 1; the stream is one of device 0"));
  const tpudnnHandle_t handle = tpudnnHandleFromStream(0, stream_, module);
  ASSERT_NE(handle, nullptr);
  FillArgs args{address_of(memory_), 8, 16};
  EXPECT_EQ(tpudnnEnableProfile(handle, 100, 0), TPUDNN_STATUS_SUCCESS);
  EXPECT_EQ(tpudnnLaunchKernel(handle, "fill", &args, sizeof args, 1, 1), TPUDNN_STATUS_SUCCESS);
  EXPECT_EQ(tpudnnSync(handle), TPUDNN_STATUS_SUCCESS);
  EXPECT_EQ(tpudnnDisableProfile(handle), TPUDNN_STATUS_SUCCESS);
  int value = 0;
  EXPECT_EQ(tpudnnMemcpyDeviceToHost(handle, &value, address_of(memory_), sizeof value),
            TPUDNN_STATUS_SUCCESS);
  EXPECT_EQ(value, 8);
  value = 12;
  EXPECT_EQ(tpudnnMemcpyHostToDevice(handle, address_of(memory_), &value, sizeof value),
            TPUDNN_STATUS_SUCCESS);
  EXPECT_EQ(first(), 12);
  tpudnnDestroy(handle);
  EXPECT_THAT(said([&] { EXPECT_EQ(tpudnnSync(handle), TPUDNN_STATUS_FAILED); }),
              HasSubstr("handle is not open"));
  EXPECT_EQ(tpuRtKernelUnloadModule(module, stream_), tpuRtSuccess);
}

}  // namespace
