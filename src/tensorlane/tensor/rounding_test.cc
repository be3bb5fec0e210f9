#include "tensorlane/tensor/rounding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>

#include "tensorlane/base/error.h"
#include "tensorlane/tensor/int4.h"

namespace tensorlane {
namespace {

// The table of the header: halves from -2.5 to 2.5, one row per mode.
TEST(RoundingShiftRight, HalvesAsTheManualLists) {
  constexpr std::array<int, 6> kHalves = {-5, -3, -1, 1, 3, 5};
  constexpr int kTable[kRoundingModeCount][6] = {
      {-2, -2, 0, 0, 2, 2}, {-3, -2, -1, 1, 2, 3}, {-2, -1, 0, 0, 1, 2},  {-3, -2, -1, 0, 1, 2},
      {-2, -1, 0, 1, 2, 3}, {-2, -1, 0, 1, 2, 3},  {-3, -2, -1, 0, 1, 2},
  };
  for (int mode = 0; mode < kRoundingModeCount; ++mode) {
    for (std::size_t i = 0; i < kHalves.size(); ++i) {
      EXPECT_EQ(rounding_shift_right(kHalves[i], 1, static_cast<RoundingMode>(mode)),
                kTable[mode][i])
          << rounding_mode_name(static_cast<RoundingMode>(mode)) << " " << kHalves[i] / 2.0;
    }
  }
}

// The definition in 128-bit arithmetic: the result is within one unit, and on the side of the exact
// value that the mode asks for; ties as listed.
TEST(RoundingShiftRight, IsTheWholeNumberThatTheModeNames) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200000; ++i) {
    const auto value = static_cast<std::int64_t>(random()) >> (random() % 64);
    const int shift = static_cast<int>(random() % 63) + 1;
    const __int128 unit = __int128{1} << shift;
    for (int code = 0; code < kRoundingModeCount; ++code) {
      const auto mode = static_cast<RoundingMode>(code);
      const std::int64_t result = rounding_shift_right(value, shift, mode);
      const __int128 error = __int128{result} * unit - value;  // result minus exact, in units/2^k
      ASSERT_LT(error < 0 ? -error : error, unit);
      const bool tie = error * 2 == unit || error * 2 == -unit;
      switch (mode) {
        case RoundingMode::kTowardsZero:
          ASSERT_TRUE(error == 0 || (error < 0) == (value > 0));
          break;
        case RoundingMode::kDown:
          ASSERT_LE(error, 0);
          break;
        case RoundingMode::kUp:
          ASSERT_GE(error, 0);
          break;
        default:
          ASSERT_LE((error < 0 ? -error : error) * 2, unit);
          if (!tie) break;
          if (mode == RoundingMode::kHalfToEven) {
            ASSERT_EQ(result % 2, 0);
          }
          if (mode == RoundingMode::kHalfAwayFromZero) {
            ASSERT_EQ(error > 0, value > 0);
          }
          if (mode == RoundingMode::kHalfUp) {
            ASSERT_GT(error, 0);
          }
          if (mode == RoundingMode::kHalfDown) {
            ASSERT_LT(error, 0);
          }
      }
    }
  }
}

TEST(RoundingShiftRight, MagnitudesRoundAsSignedValuesDo) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 100000; ++i) {
    const auto value = static_cast<std::int64_t>(random()) >> (1 + random() % 63);
    const int shift = static_cast<int>(random() % 63) + 1;
    const std::uint64_t magnitude =
        value < 0 ? static_cast<std::uint64_t>(-value) : static_cast<std::uint64_t>(value);
    for (int code = 0; code < kRoundingModeCount; ++code) {
      const auto mode = static_cast<RoundingMode>(code);
      const auto rounded =
          static_cast<std::int64_t>(round_magnitude(magnitude, shift, value < 0, mode));
      ASSERT_EQ(value < 0 ? -rounded : rounded, rounding_shift_right(value, shift, mode));
    }
  }
  EXPECT_EQ(round_magnitude(1, 200, false, RoundingMode::kUp), 1U);
  EXPECT_EQ(round_magnitude(~0ULL, 65, false, RoundingMode::kHalfAwayFromZero), 0U);
  EXPECT_EQ(round_magnitude(~0ULL, 64, false, RoundingMode::kHalfAwayFromZero), 1U);
}

TEST(RoundingShift, LeftWrapsAndFarShiftsEnd) {
  EXPECT_EQ(rounding_shift(3, 4, RoundingMode::kHalfUp), 48);
  EXPECT_EQ(rounding_shift(-3, 4, RoundingMode::kHalfUp), -48);
  EXPECT_EQ(rounding_shift(std::int64_t{1} << 62, 2, RoundingMode::kHalfUp), 0);
  EXPECT_EQ(rounding_shift(7, -1, RoundingMode::kHalfUp), 4);
  EXPECT_EQ(rounding_shift(7, 64, RoundingMode::kHalfUp), 0);
  // Above 63 the distance acts as 63: a value below 2^62 in magnitude is less than half a unit.
  EXPECT_EQ(rounding_shift_right(-1, 100, RoundingMode::kHalfToEven), 0);
  EXPECT_EQ(rounding_shift_right(-1, 100, RoundingMode::kDown), -1);
  for (const int far : {-64, -1000, std::numeric_limits<int>::min()})
    EXPECT_EQ(rounding_shift(7, far, RoundingMode::kDown), 0) << far;
  static_assert(rounding_shift_right(5, 1, RoundingMode::kUp) == 3);
}

TEST(Saturate, ClampsToTheType) {
  static_assert(saturate<std::int8_t>(200) == 127);
  static_assert(saturate<std::int8_t>(-200) == -128);
  static_assert(saturate<std::uint16_t>(-1) == 0);
  EXPECT_EQ(saturate<std::uint32_t>(std::int64_t{1} << 40), 0xffffffffU);
  EXPECT_EQ(integer_range(Dtype::kInt4).min, -8);
  EXPECT_EQ(integer_range(Dtype::kUint32).max, 4294967295);
  EXPECT_THROW(integer_range(Dtype::kFp16), InternalError);
}

TEST(RoundingMode, NamesRoundTrip) {
  for (int code = 0; code < kRoundingModeCount; ++code) {
    const auto mode = static_cast<RoundingMode>(code);
    EXPECT_EQ(parse_rounding_mode(rounding_mode_name(mode)), mode);
    EXPECT_EQ(legal_for_floats(mode), code < 5);
  }
  EXPECT_THAT([] { parse_rounding_mode("half_even"); },
              testing::ThrowsMessage<UserError>(testing::HasSubstr("did you mean 'half_to_even'")));
}

TEST(Int4, NibblesKeepTheirPlaces) {
  std::array<std::uint8_t, 3> packed{};
  for (std::size_t i = 0; i < 5; ++i)
    set_nibble(packed.data(), i, static_cast<std::uint8_t>(i + 9));
  EXPECT_EQ(packed, (std::array<std::uint8_t, 3>{0xa9, 0xcb, 0x0d}));
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(get_nibble(packed.data(), i), i + 9);
  EXPECT_EQ(int4_bytes(5), 3U);
  EXPECT_EQ(sign_extend_nibble(0x8), -8);
  EXPECT_EQ(sign_extend_nibble(0x7), 7);
  EXPECT_EQ(sign_extend_nibble(0xf), -1);
}

}  // namespace
}  // namespace tensorlane
