// The general sort against the three sorts it contains, and of these the order of equal values;
// gathers of lines.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
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

// The values of slot 4 in order, and of equal ones the indices of slot 5 upwards.
void expect_sorted(const Case& c, const std::byte* global) {
  const auto word = [&](int slot, int i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, global + slot * kSlot + 4 * i, sizeof bits);
    return bits;
  };
  const auto value = [&](int i) -> double {
    const std::uint32_t bits = word(4, i);
    if (c.dtype == DT_FP32) return std::bit_cast<float>(bits);
    return c.dtype == DT_INT32 ? static_cast<double>(static_cast<std::int32_t>(bits)) : bits;
  };
  for (int i = 1; i < c.wanted; ++i) {
    const double before = value(i - 1), here = value(i);
    EXPECT_TRUE(c.descending ? before >= here : before <= here) << i;
    if (before != here) continue;
    EXPECT_LE(word(5, i - 1), word(5, i)) << i;
  }
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
      if (kernel == with_indices) expect_sorted(c, global);
    }
  }
}

// Lines of slot 0 by the indices of slot 1, to slot 2.
struct Lines {
  int count, length, wanted, start, end;
  unsigned other;
  bool fills;
};
void gather_lines(const void* args) {
  const Lines& c = *static_cast<const Lines*>(args);
  const unsigned long long at = tpu_global_mem_get_start_addr();
  tpu_initialize();
  tpu_hau_line_gather(at + 2 * kSlot, at, at + kSlot, scalar_t{.u32 = c.other}, c.count, c.length,
                      c.wanted, c.start, c.end, DT_UINT16, c.fills);
  tpu_poll();
}

TEST(LineGather, TakesTheLinesFromStartToEnd) {
  std::mt19937 random(5);
  const auto in = [&](int first, int last) {
    return first + static_cast<int>(random() % static_cast<unsigned>(last - first + 1));
  };
  for (int round = 0; round < 60; ++round) {
    Lines c{};
    c.count = in(1, 20);
    c.length = in(1, 30);
    c.wanted = in(1, 40);
    c.start = in(0, 9);
    c.end = c.start + in(0, c.count - 1);
    c.other = random();
    c.fills = round % 2 == 0;
    DeviceMemory memory(bm1684x());
    std::byte* const global = memory.base(Space::kGlobal);
    std::vector<std::uint16_t> lines(static_cast<std::size_t>(c.count * c.length)),
        expected(static_cast<std::size_t>(c.wanted * c.length)), actual(expected.size());
    for (std::uint16_t& each : lines) each = static_cast<std::uint16_t>(random());
    for (std::uint16_t& each : expected) each = static_cast<std::uint16_t>(random());
    std::memcpy(global, lines.data(), 2 * lines.size());
    std::memcpy(global + 2 * kSlot, expected.data(), 2 * expected.size());
    for (int i = 0; i < c.wanted; ++i) {
      const int index = in(c.start - 2, c.end + 2), line = index - c.start;
      std::memcpy(global + kSlot + 4 * i, &index, sizeof index);
      const auto to = expected.begin() + static_cast<std::ptrdiff_t>(i) * c.length;
      if (index >= c.start && index <= c.end) {
        std::copy_n(lines.begin() + static_cast<std::ptrdiff_t>(line) * c.length, c.length, to);
      } else if (c.fills) {
        std::fill_n(to, c.length, static_cast<std::uint16_t>(c.other));
      }
    }
    Session session{
        .chip = bm1684x(), .memory = memory, .observers = {}, .launch = {"test", 0, &bm1684x()}};
    const auto failure = run_kernel(session, gather_lines, &c);
    ASSERT_FALSE(failure) << failure->message;
    std::memcpy(actual.data(), global + 2 * kSlot, 2 * actual.size());
    ASSERT_EQ(actual, expected) << c.start << " to " << c.end;
  }
}

}  // namespace
}  // namespace tensorlane::tpukernel
