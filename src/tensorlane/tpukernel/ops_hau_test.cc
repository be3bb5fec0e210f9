// The general sort against the three sorts it contains.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/device/session.h"
#include "tensorlane/tpukernel/define.h"

namespace tensorlane::tpukernel {
namespace {

constexpr int kSlot = 4096;  // bytes between operands in global memory

// One case; the kernel finds it through its argument block.
struct Case {
  int length, wanted, flags;
  data_type_t dtype;
  bool descending;
};

// Sorts the values of slot 0 with the indices of slot 1, general sort first: results in slots 2 and
// 3, those of the plain sort in 4 and 5. With `own`, indices are the caller's; without `index`
// there are none.
void sort_twice(const Case& c, bool index, bool own) {
  const unsigned long long at = tpu_global_mem_get_start_addr();
  tpu_initialize();
  tpu_hau_sort_general(at, at + kSlot, at + 2 * kSlot, at + 3 * kSlot, c.flags, c.length,
                       static_cast<int>(c.descending), static_cast<int>(index),
                       static_cast<int>(!own), c.wanted);
  if (!index) {
    tpu_hau_sort(at + 4 * kSlot, at, c.length, c.wanted, c.descending, c.dtype);
  } else if (own) {
    tpu_hau_sort_specific_index(at + 4 * kSlot, at + 5 * kSlot, at, at + kSlot, c.length, c.wanted,
                                c.descending, c.dtype);
  } else {
    tpu_hau_sort_natural_index(at + 4 * kSlot, at + 5 * kSlot, at, c.length, c.wanted, c.descending,
                               c.dtype);
  }
  tpu_poll();
}
void values_only(const void* args) {
  sort_twice(*static_cast<const Case*>(args), false, false);
}
void with_positions(const void* args) {
  sort_twice(*static_cast<const Case*>(args), true, false);
}
void with_indices(const void* args) {
  sort_twice(*static_cast<const Case*>(args), true, true);
}

TEST(GeneralSort, IsTheThreeSortsInOne) {
  constexpr data_type_t kTypes[] = {DT_FP32, DT_INT32, DT_UINT32};
  std::mt19937 random(5);
  for (const KernelFunction kernel : {values_only, with_positions, with_indices}) {
    for (int round = 0; round < 30; ++round) {
      Case c{};
      c.length = 1 + static_cast<int>(random() % 300);
      c.wanted = 1 + static_cast<int>(random() % static_cast<unsigned>(c.length));
      c.flags = round % 3;
      c.dtype = kTypes[c.flags];
      c.descending = random() % 2 != 0;
      DeviceMemory memory(bm1684x());
      std::byte* const global = memory.base(Space::kGlobal);
      for (int i = 0; i < c.length; ++i) {
        // Few values, so that many are equal.
        const int value = static_cast<int>(random() % 40) - 20;
        const auto number = static_cast<float>(value) / 4;
        const unsigned own = random() % 1000;
        std::memcpy(global + 4 * i, c.flags == 0 ? static_cast<const void*>(&number) : &value, 4);
        std::memcpy(global + kSlot + 4 * i, &own, 4);
      }
      Session session{
          .chip = bm1684x(), .memory = memory, .observers = {}, .launch = {"test", 0, &bm1684x()}};
      const auto failure = run_kernel(session, kernel, &c);
      ASSERT_FALSE(failure) << failure->message;
      EXPECT_EQ(std::memcmp(global + 2 * kSlot, global + 4 * kSlot, 2 * kSlot), 0)
          << c.length << " " << c.wanted << " " << c.flags;
    }
  }
}

}  // namespace
}  // namespace tensorlane::tpukernel
