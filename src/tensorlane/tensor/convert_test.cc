#include "tensorlane/tensor/convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/base/fp_environment.h"
#include "tensorlane/tensor/int4.h"

namespace tensorlane {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<Dtype> value_dtypes() {
  std::vector<Dtype> dtypes;
  for (const DtypeInfo& info : all_dtypes()) {
    if (info.name[0] != 'x') dtypes.push_back(info.dtype);
  }
  return dtypes;
}

std::size_t bytes_of(Dtype dtype, std::size_t count) {
  return (count * static_cast<std::size_t>(dtype_bits(dtype)) + 7) / 8;
}

// Every value of the types up to 16 bits; of 32-bit types random bits, all numbers next to powers
// of two and next to the midpoints where a shorter format rounds.
std::vector<std::uint8_t> interesting_elements(Dtype dtype) {
  const int bits = dtype_bits(dtype);
  std::vector<std::uint8_t> bytes;
  if (bits == 4) {
    for (unsigned byte = 0; byte < 256; ++byte) bytes.push_back(static_cast<std::uint8_t>(byte));
    return bytes;
  }
  const auto append = [&](std::uint32_t value) {
    for (int i = 0; i < bits / 8; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  };
  if (bits < 32) {
    for (std::uint32_t value = 0; value < (1U << bits); ++value) append(value);
    return bytes;
  }
  std::mt19937 random(5);
  for (int i = 0; i < 20000; ++i) append(static_cast<std::uint32_t>(random()));
  for (std::uint32_t sign : {0U, 0x80000000U}) {
    for (std::uint32_t exponent = 0; exponent < 256; ++exponent) {
      for (int bit = 0; bit <= 23; ++bit) {
        for (std::uint32_t delta = 0; delta < 5; ++delta) {
          const std::uint32_t mantissa = ((1U << bit) - 2 + delta) & 0x7fffffU;
          append(sign | exponent << 23 | mantissa);
          append(sign | exponent << 23 | (mantissa << 1 & 0x7fffffU) | 1U);
        }
      }
    }
    for (int bit = 0; bit < 32; ++bit) {
      for (std::uint32_t delta = 0; delta < 5; ++delta) {
        append(sign + (1U << bit) - 2 + delta);
        append(sign + (3U << bit) - 2 + delta);
      }
    }
  }
  // Midpoints of the sixteen-bit and eight-bit formats, within the range that each one has.
  for (int i = 0; i < 20000; ++i) {
    const auto word = static_cast<std::uint32_t>(random());
    const std::uint32_t exponent = 96 + word % 64;
    const int cut = 12 + static_cast<int>(word >> 8) % 10;
    const std::uint32_t mantissa = (word >> 9 & 0x7fffffU & ~((2U << cut) - 1)) | 1U << cut;
    append((word & 0x80000000U) | exponent << 23 | mantissa);
  }
  return bytes;
}

std::vector<ConvertOptions> chip_option_sets(Dtype dst, Dtype src) {
  return {tpu_cast_options(dst, src, RoundingMode::kHalfToEven),
          tpu_cast_options(dst, src, RoundingMode::kUp)};
}

std::vector<ConvertOptions> all_option_sets(Dtype dst, Dtype src) {
  std::vector<ConvertOptions> sets;
  for (int mode = 0; mode < kFloatRoundingModeCount; ++mode) {
    ConvertOptions options;
    options.rounding = static_cast<RoundingMode>(mode);
    sets.push_back(options);
    options.overflow = OverflowRule::kSaturate;
    options.flush_operands = true;
    options.flush_results = true;
    sets.push_back(options);
    sets.push_back(tpu_cast_options(dst, src, options.rounding));
  }
  return sets;
}

class ConvertFrom : public testing::TestWithParam<Dtype> {};

// The instruction sets that both the compiler and this CPU have, one at a time.
template <class Body>
void for_each_instruction_set(const Body& body) {
  const std::int64_t supported = hwy::SupportedTargets();
  for (std::int64_t rest = supported; rest != 0; rest &= rest - 1) {
    const std::int64_t target = rest & -rest;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    body();
    if (testing::Test::HasFatalFailure()) break;
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

void expect_fast_path_equals_reference(Dtype src,
                                       std::vector<ConvertOptions> (*option_sets)(Dtype dst,
                                                                                  Dtype src)) {
  const std::vector<std::uint8_t> in = interesting_elements(src);
  const std::size_t count = in.size() * 8 / static_cast<std::size_t>(dtype_bits(src));
  for (Dtype dst : value_dtypes()) {
    std::vector<std::uint8_t> expected(bytes_of(dst, count));
    std::vector<std::uint8_t> actual(bytes_of(dst, count));
    for (const ConvertOptions& options : option_sets(dst, src)) {
      convert_elements_reference(expected.data(), dst, in.data(), src, count, options);
      for_each_instruction_set([&] {
        convert_elements(actual.data(), dst, in.data(), src, count, options);
        if (expected == actual) return;
        const auto at = static_cast<std::size_t>(
            std::mismatch(expected.begin(), expected.end(), actual.begin()).first -
            expected.begin());
        const std::size_t element = at * 8 / static_cast<std::size_t>(dtype_bits(dst));
        std::uint32_t bits = 0;
        std::memcpy(&bits, in.data() + bytes_of(src, element), bytes_of(src, 1));
        FAIL() << dtype_name(src) << " -> " << dtype_name(dst) << " mode "
               << rounding_mode_name(options.rounding) << " overflow "
               << static_cast<int>(options.overflow) << " element " << element << " bits "
               << std::hex << bits << " expected byte " << int{expected[at]} << " actual "
               << int{actual[at]};
      });
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

// The law of the fast path: for every destination, option and instruction set, bit for bit the
// reference.
TEST_P(ConvertFrom, FastPathEqualsReference) {
  expect_fast_path_equals_reference(GetParam(), all_option_sets);
}

// Device functions run while the host's FPU flushes denormals; conversions must not notice.
TEST_P(ConvertFrom, FastPathIgnoresTheFlushingOfTheFpu) {
  const ChipFloatScope flushing;
  expect_fast_path_equals_reference(GetParam(), chip_option_sets);
}

// Any count, and addresses that are aligned to nothing; nothing beyond the last element is written.
TEST_P(ConvertFrom, AnyCountAndAlignment) {
  const Dtype src = GetParam();
  const std::vector<std::uint8_t> in = interesting_elements(src);
  for (Dtype dst : value_dtypes()) {
    for (std::size_t count : {0, 1, 2, 3, 7, 63, 64, 65, 1023, 1024, 1025, 2111}) {
      if (bytes_of(src, count) + 1 > in.size()) continue;
      const std::size_t used = bytes_of(dst, count);
      std::vector<std::uint8_t> expected(used + 2, 0xa5);
      std::vector<std::uint8_t> actual(used + 2, 0xa5);
      convert_elements_reference(expected.data() + 1, dst, in.data() + 1, src, count);
      convert_elements(actual.data() + 1, dst, in.data() + 1, src, count);
      ASSERT_EQ(expected, actual) << dtype_name(src) << " -> " << dtype_name(dst) << " " << count;
    }
  }
}

TEST_P(ConvertFrom, InPlaceWhereTheResultIsNotWider) {
  const Dtype src = GetParam();
  const std::vector<std::uint8_t> in = interesting_elements(src);
  const std::size_t count = in.size() * 8 / static_cast<std::size_t>(dtype_bits(src));
  for (Dtype dst : value_dtypes()) {
    if (dtype_bits(dst) > dtype_bits(src)) continue;
    std::vector<std::uint8_t> expected(bytes_of(dst, count));
    convert_elements_reference(expected.data(), dst, in.data(), src, count);
    std::vector<std::uint8_t> data = in;
    convert_elements(data.data(), dst, data.data(), src, count);
    data.resize(expected.size());
    ASSERT_EQ(expected, data) << dtype_name(src) << " -> " << dtype_name(dst);
  }
}

INSTANTIATE_TEST_SUITE_P(AllDtypes, ConvertFrom, testing::ValuesIn(value_dtypes()),
                         [](const auto& info) { return std::string(dtype_name(info.param)); });

// What the model of 2024 makes of an element where it differs from the recorded one.
std::optional<std::uint32_t> cast_of_2024(std::uint32_t bits, Dtype dst, Dtype src,
                                          RoundingMode mode) {
  if (!dtype_info(src).is_float) return std::nullopt;
  const FloatFormat& format = float_format(src);
  const std::uint32_t magnitude = bits & ~format.sign_bit();
  const bool is_tiny = src != Dtype::kFp16 && magnitude != 0 && magnitude <= format.mantissa_mask();
  if (dtype_info(dst).is_float) {
    if (dst != Dtype::kBf16 || !is_tiny) return std::nullopt;
    return bits >> 16 & 0x8000U;
  }
  if (magnitude > format.infinity()) return 0;
  if (!is_tiny) return std::nullopt;
  const bool negative = bits != magnitude,
             away = mode == (negative ? RoundingMode::kDown : RoundingMode::kUp);
  if (!away || (negative && !dtype_info(dst).is_signed)) return 0;
  return negative ? ~0U >> (32 - dtype_bits(dst)) : 1U;
}

// Casts recorded on the chip's C model: source, destination, mode, bits, result bits.
TEST(Convert, ReproducesCastsOfTheBm1684x) {
  std::ifstream file(TENSORLANE_TESTDATA "/tensor/bm1684x_casts.txt");
  ASSERT_TRUE(file);
  int checked = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    std::string src_name;
    std::string dst_name;
    int mode = 0;
    std::uint32_t bits = 0;
    std::uint32_t result = 0;
    ASSERT_TRUE(fields >> src_name >> dst_name >> mode >> std::hex >> bits >> result) << line;
    const Dtype src = parse_dtype(src_name);
    const Dtype dst = parse_dtype(dst_name);
    const ConvertOptions options = tpu_cast_options(dst, src, static_cast<RoundingMode>(mode));
    const auto newer = cast_of_2024(bits, dst, src, options.rounding);
    ASSERT_EQ(convert_element(bits, dst, src, options), newer.value_or(result)) << line;
    ++checked;
  }
  EXPECT_GT(checked, 4000);
}

TEST(Convert, FloatToIntegerRoundsThenSaturates) {
  const auto to = [](float value, Dtype dst, RoundingMode mode) {
    return convert_element(std::bit_cast<std::uint32_t>(value), dst, Dtype::kFp32,
                           {.rounding = mode});
  };
  EXPECT_EQ(to(2.5F, Dtype::kInt8, RoundingMode::kHalfToEven), 2U);
  EXPECT_EQ(to(2.5F, Dtype::kInt8, RoundingMode::kHalfAwayFromZero), 3U);
  EXPECT_EQ(to(-2.5F, Dtype::kInt8, RoundingMode::kUp), 0xfeU);
  EXPECT_EQ(to(-2.5F, Dtype::kUint8, RoundingMode::kDown), 0U);
  EXPECT_EQ(to(300.0F, Dtype::kUint8, RoundingMode::kDown), 255U);
  EXPECT_EQ(to(2147483648.0F, Dtype::kInt32, RoundingMode::kDown), 0x7fffffffU);
  EXPECT_EQ(to(4294967296.0F, Dtype::kUint32, RoundingMode::kDown), 0xffffffffU);
  EXPECT_EQ(to(INFINITY, Dtype::kInt16, RoundingMode::kDown), 0x7fffU);
  EXPECT_EQ(to(-INFINITY, Dtype::kInt16, RoundingMode::kDown), 0x8000U);
  EXPECT_EQ(to(NAN, Dtype::kInt32, RoundingMode::kDown), 0x80000000U);
  EXPECT_EQ(to(NAN, Dtype::kUint32, RoundingMode::kDown), 0U);
  EXPECT_EQ(to(100.0F, Dtype::kInt4, RoundingMode::kDown), 7U);
}

TEST(Convert, IntegersSaturate) {
  EXPECT_EQ(convert_element(200, Dtype::kInt8, Dtype::kUint8), 127U);
  EXPECT_EQ(convert_element(0xffffffff, Dtype::kUint8, Dtype::kInt32), 0U);
  EXPECT_EQ(convert_element(0xffffffff, Dtype::kUint8, Dtype::kUint32), 255U);
  EXPECT_EQ(convert_element(0x7fffffff, Dtype::kInt8, Dtype::kInt32), 127U);
  EXPECT_EQ(convert_element(0xffffffff, Dtype::kInt32, Dtype::kUint32), 0x7fffffffU);
  EXPECT_EQ(convert_element(0xf, Dtype::kInt16, Dtype::kInt4), 0xffffU);
  EXPECT_EQ(convert_element(0xf, Dtype::kInt16, Dtype::kUint4), 15U);
}

TEST(Convert, RawTypesCopyBitsOfTheirWidthOnly) {
  EXPECT_EQ(convert_element(0x7fc1, Dtype::kX16, Dtype::kBf16), 0x7fc1U);
  std::uint32_t out = 0;
  const float in = 1.0F;
  convert_elements(&out, Dtype::kX32, &in, Dtype::kFp32, 1);
  EXPECT_EQ(out, 0x3f800000U);
  EXPECT_THAT([&] { convert_elements(&out, Dtype::kFp32, &in, Dtype::kX16, 1); },
              ThrowsMessage<UserError>(HasSubstr("cannot convert x16 to fp32")));
}

TEST(Convert, FloatConversionsRejectShiftModes) {
  std::uint16_t out = 0;
  const float in = 1.0F;
  for (RoundingMode mode : {RoundingMode::kHalfUp, RoundingMode::kHalfDown}) {
    EXPECT_THAT(
        [&] { convert_elements(&out, Dtype::kFp16, &in, Dtype::kFp32, 1, {.rounding = mode}); },
        ThrowsMessage<UserError>(HasSubstr("rounding mode 'half_")));
  }
}

}  // namespace
}  // namespace tensorlane
