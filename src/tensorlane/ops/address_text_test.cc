#include "tensorlane/ops/address_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tensorlane {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// An address of an allocation, as hosts get them.
std::uint64_t allocated(const Chip& chip) {
  return chip.global_alloc_begin + 0x10000;
}

TEST(AddressText, SaysWhatHappenedToAnAddress) {
  for (const Chip* chip : all_chips()) {
    const std::uint64_t address = allocated(*chip);
    ASSERT_GE(address, std::uint64_t{1} << 32);
    const AddressText cut = explain_system_address(*chip, address & 0xffffffff);
    EXPECT_EQ(cut.what, fmt::format(", the lower 32 bits of {:#x}", address));
    EXPECT_THAT(cut.repair, HasSubstr("64 bits"));
    EXPECT_EQ(explain_system_address(*chip, address - address - 64).what, ", which is -64");
    EXPECT_THAT(explain_system_address(*chip, 0x7ffd12345678).repair, HasSubstr("bm_memcpy_s2d"));
    EXPECT_THAT(explain_system_address(*chip, 0x55d512345678).what, HasSubstr("the host's memory"));
    EXPECT_EQ(explain_system_address(*chip, address).what, "") << "nothing is wrong with it";
    const AddressText null = explain_system_address(*chip, 0);
    EXPECT_EQ(null.what, ", a null address");
    EXPECT_THAT(null.repair, ::testing::Not(HasSubstr("64 bits"))) << "it was never set";
  }
}

TEST(AddressText, AnUnsignedDifferenceAddsTwoToThe32) {
  const Chip& chip = *all_chips().front();
  const Region& global = chip.region(Space::kGlobal);
  const std::uint64_t last = global.begin + global.bytes - 4;
  EXPECT_EQ(explain_system_address(chip, last + (std::uint64_t{1} << 32)).what,
            fmt::format(", 2^32 more than {:#x}", last));
}

TEST(AddressText, LocalAddressesCountFromZero) {
  for (const Chip* chip : all_chips()) {
    EXPECT_EQ(explain_local_address(*chip, 0xfffffc00).what, ", which is -1024");
    EXPECT_EQ(explain_local_address(*chip, chip->l2_user_begin).what, ", an address of L2");
    EXPECT_THAT(explain_local_address(*chip, chip->local_bytes()).what, IsEmpty());
  }
}

TEST(AddressText, WhatPassesAnNpuStartsAtTheNext) {
  const LocalMemory memory{.npus = 4, .npu_bytes = 4096, .align_bytes = 128};
  EXPECT_EQ(past_first_npu(memory, 4095), "");
  EXPECT_EQ(past_first_npu(memory, 4096 + 96), " (96 bytes past the 4096 of NPU 0)");
  EXPECT_EQ(past_first_npu(memory, 3 * 4096), " (0 bytes past the 4096 of NPU 2)");
}

}  // namespace
}  // namespace tensorlane
