// The host runtime as a program uses it: copies, allocation, launches, errors, threads and
// processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "bmlib_runtime.h"
#include "okk.h"
#include "tensorlane/bmlib/devices.h"
#include "tensorlane/device/source_location.h"

namespace {

struct AddOne {
  unsigned long long address;
  int count;
} __attribute__((packed));

void add_one(const void* args) {
  AddOne job;
  std::memcpy(&job, args, sizeof job);
  okk_initialize();
  const dim4 shape = {1, 1, 1, job.count};
  okk_gdma_32bit_cpy_S2L(0, job.address, &shape, nullptr, nullptr);
  okk_bdc_add_C(0, 0, 1.0f, &shape, nullptr, nullptr);
  okk_gdma_32bit_cpy_L2S(job.address, 0, &shape, nullptr, nullptr);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(add_one)

void too_many_channels(const void*) {
  okk_initialize();
  const dim4 shape = {1, 4096, 1, 1};
  okk_bdc_add_C(0, 0, 1.0f, &shape, nullptr, nullptr);
}
OKKERNEL_FUNC_REGISTER(too_many_channels)

void failing_assertion(const void*) {
  OKKERNEL_ASSERT(1 + 1 == 3);
}
OKKERNEL_FUNC_REGISTER(failing_assertion)

void leaves(const void*) {
  std::exit(7);
}
OKKERNEL_FUNC_REGISTER(leaves)

class Bmlib : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(bm_dev_request(&handle_, 0), BM_SUCCESS); }
  void TearDown() override { bm_dev_free(handle_); }

  bm_device_mem_t upload(const std::vector<float>& values) {
    bm_device_mem_t mem;
    EXPECT_EQ(bm_malloc_device_byte(handle_, &mem, static_cast<unsigned>(values.size() * 4)),
              BM_SUCCESS);
    EXPECT_EQ(bm_memcpy_s2d(handle_, mem, const_cast<float*>(values.data())), BM_SUCCESS);
    return mem;
  }
  std::vector<float> download(bm_device_mem_t mem) {
    std::vector<float> values(mem.size / 4);
    EXPECT_EQ(bm_memcpy_d2s(handle_, values.data(), mem), BM_SUCCESS);
    return values;
  }

  bm_handle_t handle_ = nullptr;
};

TEST_F(Bmlib, LaunchComputesAndAsyncLaunchesRunInOrder) {
  bm_device_mem_t mem = upload({1, 2, 3, 4});
  AddOne job{bm_mem_get_device_addr(mem), 4};
  EXPECT_EQ(okkernel_launch_sync(handle_, "add_one", &job, sizeof job), BM_SUCCESS);
  EXPECT_EQ(download(mem), (std::vector<float>{2, 3, 4, 5}));
  for (int k = 0; k < 20; ++k) {
    EXPECT_EQ(okkernel_launch_async(handle_, "add_one", &job, sizeof job), BM_SUCCESS);
  }
  job = {0, 0};  // the block was copied at each call
  EXPECT_EQ(okkernel_sync(handle_), BM_SUCCESS);
  EXPECT_EQ(download(mem), (std::vector<float>{22, 23, 24, 25}));
  bm_free_device(handle_, mem);
}

TEST_F(Bmlib, FailedLaunchesReportAndTheDeviceStaysUsable) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(okkernel_launch_sync(handle_, "too_many_channels", nullptr, 0), BM_ERR_FAILURE);
  const std::string message = testing::internal::GetCapturedStderr();
  EXPECT_NE(message.find("kernel 'too_many_channels'"), std::string::npos) << message;
  EXPECT_NE(message.find("okk_bdc_add_C"), std::string::npos) << message;
  EXPECT_NE(message.find("shape.c = 4096"), std::string::npos) << message;
  EXPECT_NE(message.find("1 <= shape.c <= 4095 [doc]"), std::string::npos) << message;
  testing::internal::CaptureStderr();
  EXPECT_EQ(okkernel_launch_sync(handle_, "failing_assertion", nullptr, 0), BM_ERR_FAILURE);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("OKKERNEL_ASSERT(1 + 1 == 3)"),
            std::string::npos);
  EXPECT_EQ(okkernel_launch_async(handle_, "too_many_channels", nullptr, 0), BM_SUCCESS);
  EXPECT_EQ(okkernel_sync(handle_), BM_ERR_FAILURE);
  EXPECT_EQ(okkernel_sync(handle_), BM_SUCCESS);  // told once
  bm_device_mem_t mem = upload({5});
  const AddOne job{bm_mem_get_device_addr(mem), 1};
  EXPECT_EQ(okkernel_launch_sync(handle_, "add_one", &job, sizeof job), BM_SUCCESS);
  EXPECT_EQ(download(mem), std::vector<float>{6});
  bm_free_device(handle_, mem);
}

TEST(BmlibDeathTest, AKernelThatExitsEndsTheProgramWithItsStatus) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto launch = [] {
    bm_handle_t handle = nullptr;
    bm_dev_request(&handle, 0);
    okkernel_launch_sync(handle, "leaves", nullptr, 0);
    std::exit(5);  // as a program that sees the launch fail
  };
  for (int k = 0; k < 5; ++k) EXPECT_EXIT(launch(), testing::ExitedWithCode(7), "");
}

// The child has the parent's handles, whose device is not there, and may open devices of its own.
TEST(BmlibDeathTest, TheChildOfAForkNeverWaitsForTheParentsDevice) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP()
      << "ThreadSanitizer counts the parent's threads as the child's: its own \"dup thread "
         "with used id\" ends a child that starts one";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto fork_after_launch = [] {
    bm_handle_t handle = nullptr, own = nullptr;
    bm_dev_request(&handle, 0);
    bm_device_mem_t mem;
    bm_malloc_device_byte(handle, &mem, 4);
    float value = 1;
    bm_memcpy_s2d(handle, mem, &value);
    AddOne job{bm_mem_get_device_addr(mem), 1};
    okkernel_launch_sync(handle, "add_one", &job, sizeof job);
    if (fork() == 0) {
      alarm(60);
      bool right = okkernel_launch_sync(handle, "add_one", &job, sizeof job) == BM_ERR_PARAM;
      right = bm_memcpy_d2s(handle, &value, mem) == BM_ERR_PARAM && right;
      bm_dev_free(handle);
      right = bm_dev_request(&own, 0) == BM_SUCCESS && right;
      bm_malloc_device_byte(own, &mem, 4);
      job.address = bm_mem_get_device_addr(mem);
      right = okkernel_launch_sync(own, "add_one", &job, sizeof job) == BM_SUCCESS && right;
      bm_memcpy_d2s(own, &value, mem);
      std::exit(right && value == 1 ? 0 : 1);
    }
    int status = -1;
    wait(&status);
    bm_memcpy_d2s(handle, &value, mem);
    std::exit(WIFEXITED(status) && WEXITSTATUS(status) == 0 && value == 2 ? 0 : 1);
  };
  EXPECT_EXIT(fork_after_launch(), testing::ExitedWithCode(0),
              "belongs to the process that forked this one");
}

TEST_F(Bmlib, UnknownKernelsAreAnErrorWithASuggestion) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(okkernel_launch_sync(handle_, "ad_one", nullptr, 0), BM_ERR_FAILURE);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("did you mean 'add_one'?"),
            std::string::npos);
}

TEST_F(Bmlib, PartialCopiesMoveTheDeviceSideOnly) {
  bm_device_mem_t mem = upload({0, 1, 2, 3});
  float two[2] = {10, 11};
  EXPECT_EQ(bm_memcpy_s2d_partial_offset(handle_, mem, two, 8, 4), BM_SUCCESS);
  EXPECT_EQ(download(mem), (std::vector<float>{0, 10, 11, 3}));
  EXPECT_EQ(bm_memcpy_d2s_partial_offset(handle_, two, mem, 8, 8), BM_SUCCESS);
  EXPECT_EQ(two[0], 11);
  EXPECT_EQ(two[1], 3);
  EXPECT_EQ(bm_memcpy_d2d(handle_, mem, 8, mem, 0, 2), BM_SUCCESS);  // 2 words to byte offset 8
  EXPECT_EQ(download(mem), (std::vector<float>{0, 10, 0, 10}));
  EXPECT_EQ(bm_memcpy_d2d_byte(handle_, mem, 0, mem, 4, 4), BM_SUCCESS);
  EXPECT_EQ(download(mem)[0], 10);
  bm_free_device(handle_, mem);
}

TEST_F(Bmlib, FillsTakePatterns) {
  bm_device_mem_t mem;
  ASSERT_EQ(bm_malloc_device_byte(handle_, &mem, 64), BM_SUCCESS);
  std::vector<unsigned char> bytes(64);
  EXPECT_EQ(bm_memset_device(handle_, 0x11223344, mem), BM_SUCCESS);
  bm_memcpy_d2s(handle_, bytes.data(), mem);
  EXPECT_EQ(bytes[0], 0x44);
  EXPECT_EQ(bytes[63], 0x11);
  unsigned short half = 0xabcd;
  EXPECT_EQ(bm_memset_device_ext(handle_, &half, 2, mem), BM_SUCCESS);
  bm_memcpy_d2s(handle_, bytes.data(), mem);
  EXPECT_EQ(bytes[62], 0xcd);
  unsigned int three = 0;
  EXPECT_EQ(bm_memset_device_ext(handle_, &three, 3, mem),
            BM_ERR_PARAM);  // 64 is no multiple of 3 [observed]
  bm_free_device(handle_, mem);
}

TEST_F(Bmlib, DescriptorsAsOnTheVendorsModel) {
  bm_device_mem_t mem;
  EXPECT_EQ(sizeof mem, 24u);
  ASSERT_EQ(bm_malloc_neuron_device(handle_, &mem, 2, 3, 4, 5), BM_SUCCESS);
  EXPECT_EQ(bm_mem_get_device_size(mem), 480u);
  EXPECT_EQ(bm_mem_get_type(mem), BM_MEM_TYPE_DEVICE);
  EXPECT_EQ(bm_mem_get_device_addr(mem) % 4096, 0u);
  bm_free_device(handle_, mem);
  ASSERT_EQ(bm_malloc_device_dword(handle_, &mem, 16), BM_SUCCESS);
  EXPECT_EQ(mem.size, 64u);
  bm_free_device(handle_, mem);
  EXPECT_EQ(bm_mem_get_type(bm_mem_null()), BM_MEM_TYPE_INVALID);
  unsigned int chip = 0;
  EXPECT_EQ(bm_get_chipid(handle_, &chip), BM_SUCCESS);
  EXPECT_EQ(chip, 0x1684u);
}

TEST_F(Bmlib, WrongUseIsAnErrorNotACrash) {
  testing::internal::CaptureStderr();
  bm_handle_t other = nullptr;
  EXPECT_EQ(bm_dev_request(&other, 2), BM_ERR_PARAM);
  EXPECT_EQ(bm_dev_request(nullptr, 0), BM_ERR_PARAM);
  EXPECT_EQ(okkernel_launch_sync(nullptr, "add_one", nullptr, 0), BM_ERR_PARAM);
  EXPECT_EQ(okkernel_launch_sync(handle_, nullptr, nullptr, 0), BM_ERR_PARAM);
  EXPECT_EQ(okkernel_launch_sync(handle_, "add_one", nullptr, 4), BM_ERR_PARAM);
  bm_device_mem_t mem;
  EXPECT_EQ(bm_malloc_neuron_device(handle_, &mem, -1, 1, 1, 1), BM_ERR_PARAM);
  EXPECT_EQ(bm_malloc_neuron_device(handle_, &mem, 65536, 65536, 65536, 65536), BM_ERR_PARAM);
  char byte = 0;
  EXPECT_EQ(bm_memcpy_d2s_partial(handle_, &byte, bm_mem_from_device(0x10, 1), 1), BM_ERR_PARAM);
  EXPECT_EQ(bm_memcpy_s2d(handle_, bm_mem_from_device(0x1ffffffffff, 4), &byte), BM_ERR_PARAM);
  bm_free_device(handle_, bm_mem_from_device(0x105100123, 1));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("not the address of an allocation"),
            std::string::npos);
}

// What the host was not given stays as it is: copies and fills past their allocation, by length, by
// offset and by offsets that wrap around, and on freed memory.
TEST_F(Bmlib, CopiesStayInsideTheirAllocation) {
  std::vector<unsigned> ones(1024, 1), twos(1024, 2), read(1024);
  bm_device_mem_t blocks[3];
  for (bm_device_mem_t& block : blocks) {
    ASSERT_EQ(bm_malloc_device_byte(handle_, &block, 4096), BM_SUCCESS);
    ASSERT_EQ(bm_memcpy_s2d(handle_, block, ones.data()), BM_SUCCESS);
  }
  const bm_device_mem_t& own = blocks[1];
  const bm_device_mem_t longer = bm_mem_from_device(bm_mem_get_device_addr(own), 4100);
  constexpr auto kBack = static_cast<std::size_t>(-4096);
  testing::internal::CaptureStderr();
  void* const from = twos.data();
  EXPECT_EQ(bm_memcpy_s2d(handle_, longer, from), BM_ERR_PARAM);
  EXPECT_EQ(bm_memcpy_s2d_partial(handle_, own, from, 4097), BM_ERR_PARAM);
  EXPECT_EQ(bm_memcpy_s2d_partial_offset(handle_, own, from, 16, 4096), BM_ERR_PARAM);
  EXPECT_EQ(bm_memcpy_d2s(handle_, read.data(), longer), BM_ERR_PARAM);
  EXPECT_EQ(bm_memcpy_d2s_partial_offset(handle_, read.data(), own, 4, 4096), BM_ERR_PARAM);
  EXPECT_EQ(bm_memset_device(handle_, 2, longer), BM_ERR_PARAM);
  EXPECT_EQ(bm_memcpy_d2d_byte(handle_, own, kBack, own, 0, 4096), BM_ERR_PARAM);
  EXPECT_EQ(bm_memcpy_d2d_byte(handle_, own, 0, own, kBack, 4096), BM_ERR_PARAM);
  EXPECT_EQ(bm_memcpy_d2d(handle_, own, 4, own, 0, 1024), BM_ERR_PARAM);
  EXPECT_EQ(bm_memcpy_d2d(handle_, own, 4, own, 0, -1), BM_ERR_PARAM);
  EXPECT_EQ(bm_memcpy_d2d_stride(handle_, own, 1, own, 2, 513, 4), BM_ERR_PARAM);
  EXPECT_EQ(bm_memcpy_d2d_stride(handle_, own, 4, own, 1, 1025, 1), BM_ERR_PARAM);
  for (const bm_device_mem_t& block : blocks) {
    EXPECT_EQ(bm_memcpy_d2s(handle_, read.data(), block), BM_SUCCESS);
    EXPECT_EQ(read, ones);
  }
  bm_free_device(handle_, own);
  EXPECT_EQ(bm_memcpy_s2d(handle_, own, from), BM_ERR_PARAM);
  bm_free_device(handle_, own);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, testing::HasSubstr(
                        "bm_memcpy_s2d_partial_offset: dst: 16 bytes at 0x105101000 + 4096 end 16 "
                        "bytes past the allocation of 4096 bytes at 0x105101000, made at "));
  EXPECT_THAT(said, testing::HasSubstr("bm_memcpy_d2d_byte: src: 4096 bytes at 0x105101000 + "
                                       "18446744073709547520 begin outside the allocation"));
  EXPECT_THAT(said, testing::HasSubstr("dst: 0x105101000 is inside the allocation of 4096 bytes"));
  EXPECT_THAT(said, testing::HasSubstr("which was freed at "));
  EXPECT_THAT(said, testing::HasSubstr("0x105101000 is not the address of an allocation"));
  bm_free_device(handle_, blocks[0]);
  bm_free_device(handle_, blocks[2]);
}

// Observers of the device hear of refused calls with the host's place.
TEST_F(Bmlib, RefusedCallsReachTheObserversWithTheirPlace) {
  using Kind = tensorlane::HostRefusal::Kind;
  struct Refusals : tensorlane::Observer {
    std::vector<std::string>& lines;
    std::vector<Kind>& kinds;
    Refusals(std::vector<std::string>& lines, std::vector<Kind>& kinds)
        : lines(lines), kinds(kinds) {}
    void host_refused(const tensorlane::HostRefusal& refusal) override {
      lines.push_back(fmt::format("{} {} {}", refusal.function,
                                  tensorlane::find_source_location(refusal.call_site).module,
                                  refusal.allocation ? refusal.allocation->bytes : 0));
      kinds.push_back(refusal.kind);
    }
  };
  static std::vector<std::string> lines;
  static std::vector<Kind> kinds;
  tensorlane::bmlib::device(0).add_observer(std::make_unique<Refusals>(lines, kinds));
  bm_device_mem_t mem = upload({1});
  float values[2];
  testing::internal::CaptureStderr();
  bm_memcpy_d2s_partial(handle_, values, mem, 8);
  bm_memcpy_d2s(handle_, nullptr, mem);
  bm_free_device(handle_, mem);
  bm_free_device(handle_, mem);
  bm_malloc_device_byte(handle_, nullptr, 4);
  okkernel_launch_async(handle_, "add_one", values, 4097);
  testing::internal::GetCapturedStderr();
  EXPECT_THAT(lines, testing::ElementsAre(
                         "bm_memcpy_d2s_partial bmlib_test 4", "bm_memcpy_d2s bmlib_test 0",
                         "bm_free_device bmlib_test 4", "bm_malloc_device_byte bmlib_test 0",
                         "okkernel_launch_async bmlib_test 0"));
  EXPECT_THAT(kinds, testing::ElementsAre(Kind::kOutside, Kind::kArgument, Kind::kFree,
                                          Kind::kArgument, Kind::kLaunch));
}

TEST_F(Bmlib, RunningOutOfMemoryIsAStatus) {
  std::vector<bm_device_mem_t> blocks;
  bm_device_mem_t mem;
  testing::internal::CaptureStderr();
  bm_status_t status = BM_SUCCESS;
  while ((status = bm_malloc_device_byte(handle_, &mem, 0xffffffffu)) == BM_SUCCESS)
    blocks.push_back(mem);
  EXPECT_EQ(status, BM_ERR_NOMEM);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("no room for 4294967295 bytes"),
            std::string::npos);
  EXPECT_EQ(blocks.size(), 2u);  // 12 GB less what is reserved
  for (const bm_device_mem_t& block : blocks) bm_free_device(handle_, block);
}

TEST_F(Bmlib, TwoDevicesDoNotShareMemory) {
  bm_handle_t other = nullptr;
  ASSERT_EQ(bm_dev_request(&other, 1), BM_SUCCESS);
  EXPECT_EQ(bm_get_devid(other), 1);
  bm_device_mem_t mine = upload({7});
  bm_device_mem_t theirs;
  ASSERT_EQ(bm_malloc_device_byte(other, &theirs, 4), BM_SUCCESS);
  EXPECT_EQ(bm_mem_get_device_addr(theirs), bm_mem_get_device_addr(mine));
  float value = -1;
  testing::internal::CaptureStderr();
  EXPECT_EQ(bm_memcpy_d2s(other, &value, mine), BM_ERR_PARAM);
  EXPECT_EQ(bm_memcpy_s2d(handle_, theirs, &value), BM_ERR_PARAM);
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      testing::HasSubstr("bm_memcpy_d2s: src: 0x105100000 is memory of device 0; the handle "
                         "is one of device 1"));
  EXPECT_EQ(bm_memcpy_d2s(other, &value, theirs), BM_SUCCESS);
  EXPECT_EQ(value, 0);
  bm_free_device(handle_, mine);
  testing::internal::CaptureStderr();
  bm_free_device(other, mine);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("memory of device 0"));
  bm_free_device(other, theirs);
  bm_dev_free(other);
}

// Several threads with handles of their own, launching on both devices.
TEST(BmlibThreads, ManyHostsAtOnce) {
  std::vector<std::thread> hosts;
  for (int t = 0; t < 4; ++t) {
    hosts.emplace_back([t] {
      bm_handle_t handle = nullptr;
      ASSERT_EQ(bm_dev_request(&handle, t % 2), BM_SUCCESS);
      for (int round = 0; round < 20; ++round) {
        bm_device_mem_t mem;
        ASSERT_EQ(bm_malloc_device_byte(handle, &mem, 4), BM_SUCCESS);
        float value = static_cast<float>(t * 100 + round);
        ASSERT_EQ(bm_memcpy_s2d(handle, mem, &value), BM_SUCCESS);
        const AddOne job{bm_mem_get_device_addr(mem), 1};
        ASSERT_EQ(okkernel_launch_async(handle, "add_one", &job, sizeof job), BM_SUCCESS);
        float result = 0;
        ASSERT_EQ(bm_memcpy_d2s(handle, &result, mem), BM_SUCCESS);  // waits for the launch
        ASSERT_EQ(result, value + 1);
        ASSERT_EQ(okkernel_sync(handle), BM_SUCCESS);
        bm_free_device(handle, mem);
      }
      bm_dev_free(handle);
    });
  }
  for (std::thread& host : hosts) host.join();
}

}  // namespace
