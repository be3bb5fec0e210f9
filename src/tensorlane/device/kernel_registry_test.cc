#include "tensorlane/device/kernel_registry.h"

#include <gtest/gtest.h>

namespace tensorlane {
namespace {

void one(const void*) {}
void two(const void* args) {
  static_cast<void>(args);
}

using Names = std::vector<std::string>;

TEST(KernelRegistry, NamesAreKeysInTheOrderOfTheirRegistration) {
  EXPECT_EQ(find_kernel("b"), nullptr);
  register_kernel("b", one, nullptr);
  register_kernel("a", two, nullptr);
  EXPECT_EQ(find_kernel("b"), one);
  EXPECT_EQ(find_kernel("a"), two);
  EXPECT_EQ(find_kernel("ab"), nullptr);
  register_kernel("b", two, nullptr);
  EXPECT_EQ(find_kernel("b"), two);
  EXPECT_EQ(kernel_names(), (Names{"b", "a"}));
  register_kernel("c", one, nullptr);
  unregister_kernels([](KernelFunction kernel) { return kernel == two; });
  EXPECT_EQ(kernel_names(), Names{"c"});
  EXPECT_EQ(find_kernel("a"), nullptr);
  unregister_kernels([](KernelFunction) { return true; });
  EXPECT_TRUE(kernel_names().empty());
}

}  // namespace
}  // namespace tensorlane
