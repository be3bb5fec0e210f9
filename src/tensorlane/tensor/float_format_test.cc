#include "tensorlane/tensor/float_format.h"

#include <gtest/gtest.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cfenv>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tensorlane/tensor/float16.h"

namespace tensorlane {
namespace {

constexpr RoundingMode kFloatModes[] = {RoundingMode::kHalfToEven, RoundingMode::kHalfAwayFromZero,
                                        RoundingMode::kTowardsZero, RoundingMode::kDown,
                                        RoundingMode::kUp};

// The header's worked examples hold at compile time.
static_assert(float_to_fp16(65519.0F) == 0x7bff);
static_assert(float_to_fp16(65520.0F) == 0x7c00);
static_assert(float_to_fp16(65520.0F, RoundingMode::kTowardsZero) == 0x7bff);
static_assert(fp16_to_float(0x3555) == 0.333251953125F);
static_assert(fp8e4m3_to_float(0x7e) == 448.0F);
static_assert(fp8e5m2_to_float(0x7b) == 57344.0F);
static_assert(float_to_bf16(1.00390625F) == 0x3f80);  // a tie, to even

class ShortFormat : public testing::TestWithParam<DtypeInfo> {};

std::vector<DtypeInfo> short_formats() {
  std::vector<DtypeInfo> formats;
  for (const DtypeInfo& info : all_dtypes()) {
    if (info.is_float && info.bits < 32) formats.push_back(info);
  }
  return formats;
}

double value_of(std::uint32_t bits, const FloatFormat& format) {
  const Real real = unpack(bits, format);
  const double value = std::ldexp(static_cast<double>(real.significand), real.exponent);
  return real.negative ? -value : value;
}

TEST_P(ShortFormat, EveryValueSurvivesFp32InEveryMode) {
  const FloatFormat& format = GetParam().format;
  for (std::uint32_t bits = 0; bits < 2 * format.sign_bit(); ++bits) {
    const Real real = unpack(bits, format);
    for (RoundingMode mode : kFloatModes) {
      const std::uint32_t wide = pack(real, kFp32Format, mode);
      const std::uint32_t back = pack(unpack(wide, kFp32Format), format, mode);
      // A signalling NaN comes back quiet.
      const bool nan = is_nan(bits, format);
      ASSERT_EQ(back, nan && format.has_infinity ? bits | format.quiet_bit() : bits);
      ASSERT_EQ(is_nan(wide, kFp32Format), nan);
    }
  }
}

// The law of rounding: of all finite values, the result is the neighbour that the mode names.
// Tested at, next to and between all pairs of neighbours, which no formula of ours takes part in.
TEST_P(ShortFormat, RoundsToTheNeighbourThatTheModeNames) {
  const FloatFormat& format = GetParam().format;
  const auto narrow = [&](double value, RoundingMode mode) {
    return pack(unpack(std::bit_cast<std::uint32_t>(static_cast<float>(value)), kFp32Format),
                format, mode);
  };
  for (std::uint32_t low = 0; low < format.max_finite(); ++low) {
    const std::uint32_t high = low + 1;
    const double a = value_of(low, format);
    const double b = value_of(high, format);
    ASSERT_LT(a, b);
    const double middle = (a + b) / 2;
    if (middle < std::ldexp(1.0, -126))
      continue;  // fp32 cannot hold the midpoints of its denormals
    const float below = std::nextafter(static_cast<float>(middle), 0.0F);
    const float above = std::nextafter(static_cast<float>(middle), INFINITY);
    const std::uint32_t sign = format.sign_bit();
    const std::uint32_t even = low % 2 == 0 ? low : high;
    for (double value : {double{below}, middle, double{above}}) {
      const std::uint32_t nearest = value < middle ? low : value > middle ? high : even;
      ASSERT_EQ(narrow(value, RoundingMode::kHalfToEven), nearest);
      ASSERT_EQ(narrow(-value, RoundingMode::kHalfToEven), sign | nearest);
      const std::uint32_t away = value < middle ? low : high;
      ASSERT_EQ(narrow(value, RoundingMode::kHalfAwayFromZero), away);
      ASSERT_EQ(narrow(-value, RoundingMode::kHalfAwayFromZero), sign | away);
      ASSERT_EQ(narrow(value, RoundingMode::kTowardsZero), low);
      ASSERT_EQ(narrow(-value, RoundingMode::kTowardsZero), sign | low);
      ASSERT_EQ(narrow(value, RoundingMode::kDown), low);
      ASSERT_EQ(narrow(-value, RoundingMode::kDown), sign | high);
      ASSERT_EQ(narrow(value, RoundingMode::kUp), high);
      ASSERT_EQ(narrow(-value, RoundingMode::kUp), sign | low);
    }
  }
}

TEST_P(ShortFormat, OverflowFollowsTheRule) {
  const FloatFormat& format = GetParam().format;
  const std::uint32_t largest = format.max_finite();
  const std::uint32_t infinity = format.infinity();
  const std::uint32_t sign = format.sign_bit();
  const Real huge{Real::Kind::kFinite, false, 200, 1};
  const Real minus_huge{Real::Kind::kFinite, true, 200, 1};
  for (RoundingMode mode : kFloatModes) {
    EXPECT_EQ(pack(huge, format, mode, OverflowRule::kInfinity), infinity);
    EXPECT_EQ(pack(minus_huge, format, mode, OverflowRule::kSaturate), sign | largest);
  }
  EXPECT_EQ(pack(huge, format, RoundingMode::kHalfToEven), infinity);
  EXPECT_EQ(pack(huge, format, RoundingMode::kTowardsZero), largest);
  EXPECT_EQ(pack(huge, format, RoundingMode::kDown), largest);
  EXPECT_EQ(pack(huge, format, RoundingMode::kUp), infinity);
  EXPECT_EQ(pack(minus_huge, format, RoundingMode::kDown), sign | infinity);
  EXPECT_EQ(pack(minus_huge, format, RoundingMode::kUp), sign | largest);
  const Real true_infinity{Real::Kind::kInfinity, true, 0, 0};
  EXPECT_EQ(pack(true_infinity, format, RoundingMode::kUp), sign | infinity);
  EXPECT_EQ(pack(true_infinity, format, RoundingMode::kUp, OverflowRule::kSaturate),
            sign | largest);
}

INSTANTIATE_TEST_SUITE_P(AllFormats, ShortFormat, testing::ValuesIn(short_formats()),
                         [](const auto& info) { return std::string(info.param.name); });

std::vector<float> sample_floats() {
  std::mt19937 random(11);
  std::vector<float> values;
  for (int i = 0; i < 300000; ++i) {
    const auto word = static_cast<std::uint32_t>(random());
    values.push_back(std::bit_cast<float>(word));
    // Exponents where fp16 has numbers.
    const std::uint32_t exponent = 100 + word % 46;
    values.push_back(std::bit_cast<float>((word & 0x807fffffU) | exponent << 23));
  }
  return values;
}

#if defined(__x86_64__) && defined(__GNUC__)
// The CPU as an independent oracle: all fp16 numbers wide, many floats narrow, NaN bits included.
__attribute__((target("f16c"))) void compare_with_f16c() {
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(fp16_to_float(static_cast<std::uint16_t>(bits))),
              std::bit_cast<std::uint32_t>(_cvtsh_ss(static_cast<std::uint16_t>(bits))));
  }
  for (float value : sample_floats()) {
    ASSERT_EQ(float_to_fp16(value), _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT)) << value;
    ASSERT_EQ(float_to_fp16(value, RoundingMode::kTowardsZero),
              _cvtss_sh(value, _MM_FROUND_TO_ZERO))
        << value;
    ASSERT_EQ(float_to_fp16(value, RoundingMode::kDown), _cvtss_sh(value, _MM_FROUND_TO_NEG_INF))
        << value;
    ASSERT_EQ(float_to_fp16(value, RoundingMode::kUp), _cvtss_sh(value, _MM_FROUND_TO_POS_INF))
        << value;
  }
}

TEST(Fp16, EqualsTheCpu) {
  if (!__builtin_cpu_supports("f16c")) GTEST_SKIP() << "this CPU has no F16C";
  compare_with_f16c();
}
#endif

#if defined(__aarch64__) || defined(__FLT16_MANT_DIG__)
#if defined(__aarch64__)
using CompilersHalf = __fp16;  // C++ has no _Float16 there before g++ 13
#else
using CompilersHalf = _Float16;
#endif
TEST(Fp16, EqualsTheCompiler) {
  for (float value : sample_floats()) {
    if (std::isnan(value)) continue;
    const auto half = static_cast<CompilersHalf>(value);
    std::uint16_t bits = 0;
    std::memcpy(&bits, &half, sizeof bits);
    ASSERT_EQ(float_to_fp16(value), bits) << value;
  }
}
#endif

// Rounding to whole numbers against the C library, which rounds by its own code.
TEST(ToInteger, EqualsTheCLibrary) {
  for (float value : sample_floats()) {
    if (!(std::fabs(value) < 1e18F)) continue;
    const Real real = unpack(std::bit_cast<std::uint32_t>(value), kFp32Format);
    ASSERT_EQ(to_integer(real, RoundingMode::kHalfToEven),
              static_cast<std::int64_t>(std::nearbyint(value)));
    ASSERT_EQ(to_integer(real, RoundingMode::kHalfAwayFromZero), std::llround(value));
    ASSERT_EQ(to_integer(real, RoundingMode::kTowardsZero), static_cast<std::int64_t>(value));
    ASSERT_EQ(to_integer(real, RoundingMode::kDown), static_cast<std::int64_t>(std::floor(value)));
    ASSERT_EQ(to_integer(real, RoundingMode::kUp), static_cast<std::int64_t>(std::ceil(value)));
  }
}

// 32-bit and 64-bit integers to fp32 in the four modes that the host's FPU has as well.
TEST(FromInteger, EqualsTheFpu) {
  struct HostMode {
    RoundingMode mode;
    int host;
  };
  constexpr HostMode kModes[] = {{RoundingMode::kHalfToEven, FE_TONEAREST},
                                 {RoundingMode::kTowardsZero, FE_TOWARDZERO},
                                 {RoundingMode::kDown, FE_DOWNWARD},
                                 {RoundingMode::kUp, FE_UPWARD}};
  std::mt19937_64 random(3);
  for (const HostMode& mode : kModes) {
    for (int i = 0; i < 100000; ++i) {
      volatile auto value = static_cast<std::int64_t>(random()) >> (i % 64);
      std::fesetround(mode.host);
      volatile float expected = static_cast<float>(value);
      std::fesetround(FE_TONEAREST);
      const float rounded = expected;
      ASSERT_EQ(pack(Real::from_integer(value), kFp32Format, mode.mode),
                std::bit_cast<std::uint32_t>(rounded))
          << value;
    }
  }
}

}  // namespace
}  // namespace tensorlane
