// Modules and function ids as a host of TPUKernel programs uses them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "bmlib_runtime.h"
#include "tensorlane/tpukernel/define.h"

namespace {

using ::testing::HasSubstr;

// What the module's kernel needs of the program it is loaded into.
[[gnu::used]] const void* const exported[] = {
    reinterpret_cast<const void*>(tpu_register_kernel_func),
    reinterpret_cast<const void*>(tpu_initialize), reinterpret_cast<const void*>(tpu_poll)};

class Modules : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(bm_dev_request(&handle_, 0), BM_SUCCESS); }
  void TearDown() override { bm_dev_free(handle_); }

  // Launches `function` on a counter; what it counts then.
  int count(tpu_kernel_function_t function) {
    std::uintptr_t address = reinterpret_cast<std::uintptr_t>(&counter_);
    EXPECT_EQ(tpu_kernel_launch(handle_, function, &address, sizeof address), BM_SUCCESS);
    return counter_;
  }
  // Whether a launch of `function` is refused, and with which words.
  std::string refusal(tpu_kernel_function_t function) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(tpu_kernel_launch(handle_, function, nullptr, 0), BM_ERR_PARAM);
    EXPECT_EQ(tpu_kernel_launch_async(handle_, function, nullptr, 0), BM_ERR_PARAM);
    return testing::internal::GetCapturedStderr();
  }

  bm_handle_t handle_ = nullptr;
  int counter_ = 0;
};

TEST_F(Modules, FunctionsOfAModuleRunUntilItIsUnloaded) {
  const tpu_kernel_module_t module = tpu_kernel_load_module_file(handle_, TEST_MODULE);
  ASSERT_NE(module, nullptr);
  const tpu_kernel_function_t function = tpu_kernel_get_function(handle_, module, "count_up");
  EXPECT_EQ(count(function), 1);
  EXPECT_EQ(count(function), 2);
  EXPECT_EQ(tpu_kernel_unload_module(handle_, module), BM_SUCCESS);
  EXPECT_THAT(refusal(function), HasSubstr("'count_up' went with its module, which is unloaded"));
  testing::internal::CaptureStderr();
  EXPECT_EQ(tpu_kernel_unload_module(handle_, module), BM_ERR_PARAM);
  EXPECT_EQ(tpu_kernel_get_function(handle_, module, "count_up"), -1);
  EXPECT_EQ(tpu_kernel_launch_sync(handle_, "count_up", nullptr, 0), BM_ERR_FAILURE);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("no kernel is registered"));
  EXPECT_EQ(counter_, 2);
}

// The bytes of the arguments of the last launch of a kernel that is told.
int told = 0;
void is_told_its_bytes(void* args, int bytes) {
  told = args == nullptr ? -1 : bytes;
}

TEST_F(Modules, AKernelOfTheSecondTypeGetsTheBytesOfItsArguments) {
  const char name[] = "is_told_its_bytes", args[12] = {};
  tpu_register_kernel_func(name, reinterpret_cast<void*>(is_told_its_bytes), FUNC_TYPE_2);
  EXPECT_EQ(tpu_kernel_launch_sync(handle_, name, args, sizeof args), BM_SUCCESS);
  EXPECT_EQ(told, 12);
  tpu_register_kernel_func(name, reinterpret_cast<void*>(+[](const void*) { told = 1; }),
                           FUNC_TYPE_1);
  EXPECT_EQ(tpu_kernel_launch_sync(handle_, name, args, sizeof args), BM_SUCCESS);
  EXPECT_EQ(told, 1);
}

TEST_F(Modules, ABareNameIsAFileOfTheCurrentFolder) {
  const std::string name = fmt::format("front_end_test_{}.so", getpid());
  ASSERT_EQ(symlink(TEST_MODULE, name.c_str()), 0);
  const tpu_kernel_module_t module = tpu_kernel_load_module_file(handle_, name.c_str());
  unlink(name.c_str());
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(count(tpu_kernel_get_function(handle_, module, "count_up")), 1);
  EXPECT_EQ(tpu_kernel_unload_module(handle_, module), BM_SUCCESS);
}

// One library, loaded twice: each module has functions of its own.
// What vendors deliver for the chip's own processor.
TEST_F(Modules, CodeForAnotherProcessorIsCalledThat) {
  ElfW(Ehdr) header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_machine = EM_AARCH64;
  testing::internal::CaptureStderr();
  tpu_kernel_load_module(handle_, reinterpret_cast<const char*>(&header), sizeof header);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("code for AArch64 processors"));
}

TEST_F(Modules, AnotherModuleOfTheSameFileKeepsItsFunctions) {
  const tpu_kernel_module_t one = tpu_kernel_load_module_file(handle_, TEST_MODULE);
  const tpu_kernel_module_t other = tpu_kernel_load_module_file(handle_, TEST_MODULE);
  const tpu_kernel_function_t of_one = tpu_kernel_get_function(handle_, one, "count_up");
  const tpu_kernel_function_t of_other = tpu_kernel_get_function(handle_, other, "count_up");
  EXPECT_EQ(tpu_kernel_unload_module(handle_, one), BM_SUCCESS);
  EXPECT_THAT(refusal(of_one), HasSubstr("unloaded"));
  EXPECT_EQ(count(of_other), 1);
  EXPECT_EQ(tpu_kernel_unload_module(handle_, other), BM_SUCCESS);
  EXPECT_THAT(refusal(of_other), HasSubstr("unloaded"));
}

// Launches that another handle has queued end before the code goes.
TEST_F(Modules, UnloadingWaitsForTheLaunchesOfAllHandles) {
  bm_handle_t second = nullptr;
  ASSERT_EQ(bm_dev_request(&second, 0), BM_SUCCESS);
  const tpu_kernel_module_t module = tpu_kernel_load_module_file(handle_, TEST_MODULE);
  const tpu_kernel_function_t function = tpu_kernel_get_function(handle_, module, "count_up");
  std::uintptr_t address = reinterpret_cast<std::uintptr_t>(&counter_);
  for (int k = 0; k < 200; ++k)
    EXPECT_EQ(tpu_kernel_launch_async(second, function, &address, sizeof address), BM_SUCCESS);
  EXPECT_EQ(tpu_kernel_unload_module(handle_, module), BM_SUCCESS);
  EXPECT_EQ(counter_, 200);
  EXPECT_EQ(tpu_kernel_sync(second), BM_SUCCESS);
  bm_dev_free(second);
}

TEST_F(Modules, IdsThatNobodyReturnedAreRefused) {
  for (const int id : {-1, 0, 1000000})
    EXPECT_THAT(refusal(id), HasSubstr("no tpu_kernel_get_function returned it"));
}

}  // namespace
