#include "tensorlane/inspect/place.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tensorlane/base/error.h"

namespace tensorlane::inspect {
namespace {

Place parsed(const Chip& chip, std::string_view text) {
  return place_on(chip, parse_place(text, "--watch"), "--watch");
}

TEST(Place, OfEveryMemory) {
  for (const Chip* chip : all_chips()) {
    EXPECT_EQ(
        parsed(*chip, "3:0x1000"),
        (Place{Space::kLocal, 3 * static_cast<std::uint64_t>(chip->local.npu_bytes) + 0x1000}));
    EXPECT_EQ(parsed(*chip, "l2:64+16"), (Place{Space::kL2, 64}));
    if (chip->has(Space::kDtcm)) {
      EXPECT_EQ(parsed(*chip, "dtcm:0"), (Place{Space::kDtcm, 0}));
    } else {
      EXPECT_THROW(parsed(*chip, "dtcm:0"), UserError);
    }
  }
  EXPECT_EQ(parsed(bm1684(), "0x100000010"), (Place{Space::kGlobal, 0x10}));
}

TEST(Place, ItsTextIsReadBack) {
  const Chip& chip = bm1684();
  EXPECT_EQ(place_text(chip, {Space::kLocal, 524288 * 3 + 64}), "NPU 3 offset 0x40");
  EXPECT_EQ(place_text(chip, parsed(chip, "0x100000010")), "global memory 0x100000010");
}

TEST(Place, OtherTextsAreErrors) {
  for (const char* text : {"", ":", "3:", ":4", "x", "0x", "1:2:3", "l3:0", "0x10+", "0x10+0", "-1",
                           "1e3", "0x1g", " 1", "99999999999999999999", "3:0x10+-1"})
    EXPECT_THROW(parse_place(text, "--watch"), UserError) << text;
}

TEST(Place, OutsideIsAnError) {
  for (const char* text : {"64:0", "0:0x80000", "0:0x7ffff+2", "0:1+18446744073709551615",
                           "l2:0xffffffffff", "0xffffffffffffffff"})
    EXPECT_THROW(parsed(bm1684(), text), UserError) << text;
  const Region& global = bm1684().region(Space::kGlobal);
  EXPECT_EQ(parsed(bm1684(), fmt::format("{}+16", global.begin + global.bytes - 16)).offset,
            global.bytes - 16);
  EXPECT_THROW(parsed(bm1684(), fmt::format("{}+17", global.begin + global.bytes - 16)), UserError);
  EXPECT_EQ(parsed(bm1684(), "0:0x7ffff+1").offset, 0x7ffffu);
}

}  // namespace
}  // namespace tensorlane::inspect
