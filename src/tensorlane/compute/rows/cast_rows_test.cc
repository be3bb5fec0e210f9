// Casts of every 16-bit number and of numbers around every rounding, by vectors of every
// instruction set, as convert_element() has them; and rows with gaps.
#include "tensorlane/compute/rows/cast_rows.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "tensorlane/base/every_target_test_support.h"

namespace tensorlane {
namespace {

constexpr std::array kOthers = {Dtype::kInt8,  Dtype::kUint8,  Dtype::kInt16, Dtype::kUint16,
                                Dtype::kInt32, Dtype::kUint32, Dtype::kFp16,  Dtype::kBf16};
constexpr int kModes = 5;  // that floats take

using targets_test::on_every_target;

// Bits of fp32 numbers: halves and what lies beside them, ends of the integer types, powers of two,
// denormal numbers, infinities, NaNs, the middles between 16-bit floats, and any bits.
std::vector<std::uint32_t> numbers_of_fp32() {
  std::vector<std::uint32_t> bits;
  std::mt19937 random{1};
  const auto add_around = [&](float value) {
    const auto middle = std::bit_cast<std::uint32_t>(value);
    for (const std::uint32_t sign : {0U, 0x80000000U}) {
      for (std::uint32_t near = middle - 2; near != middle + 3; ++near)
        bits.push_back((near & 0x7fffffffU) | sign);
    }
  };
  for (int k = 0; k < 600; ++k) add_around(0.5F * static_cast<float>(k));
  for (int e = -30; e <= 40; ++e) {
    for (const float factor : {1.0F, 1.5F, 0.999F}) add_around(std::ldexp(factor, e));
  }
  for (const float end : {32767.0F, 32767.5F, 65535.0F, 65535.5F}) add_around(end);
  for (const std::uint32_t special : {0U, 1U, 0x007fffffU, 0x00800000U, 0x7f800000U, 0x7f800001U,
                                      0x7fc00000U, 0x7fffffffU, 0x477fefffU, 0x477ff000U}) {
    bits.push_back(special);
    bits.push_back(special | 0x80000000U);
  }
  for (std::uint32_t upper = 0; upper < 65536; ++upper)
    bits.push_back(upper << 16U | (upper % 3 == 0 ? 0x8000U : 0x1000U * (upper % 16)));
  for (int k = 0; k < 20000; ++k) bits.push_back(static_cast<std::uint32_t>(random()));
  return bits;
}
std::vector<std::uint32_t> numbers_of(Dtype dtype) {
  std::vector<std::uint32_t> bits;
  if (dtype_bits(dtype) <= 16) {
    for (std::uint32_t k = 0; k < 1U << dtype_bits(dtype); ++k) bits.push_back(k);
    return bits;
  }
  std::mt19937 random{2};
  for (int width = 1; width <= 32; ++width) {
    for (int k = 0; k < 2000; ++k)
      bits.push_back(static_cast<std::uint32_t>(random()) >> static_cast<unsigned>(32 - width));
    const auto negative = ~0U << static_cast<unsigned>(width - 1);
    for (const std::uint32_t end : {negative, negative - 1, negative + 1, ~negative})
      bits.push_back(end);
  }
  for (std::uint32_t k = 0; k < 2000; ++k) {  // halves between neighbours of 25 and 26 bits
    bits.push_back(0x01000000U + k);
    bits.push_back(0x02000000U + k);
    bits.push_back(0U - 0x02000000U - k);
    bits.push_back(0xfffff000U + k);
  }
  return bits;
}

// A frame of rows with gaps; what lies between stays.
template <class Want>
void compare(SimdRow row, Dtype dst, Dtype src, const std::vector<std::uint32_t>& numbers,
             const Want& wanted) {
  ASSERT_NE(row, nullptr);
  constexpr std::size_t kCount = 73, kGap = 3, kRow = kCount + kGap;
  const std::size_t rows = numbers.size() / kRow;
  const auto from_bytes = static_cast<std::size_t>(dtype_bytes(src));
  const auto to_bytes = static_cast<std::size_t>(dtype_bytes(dst));
  std::vector<std::byte> from(rows * kRow * from_bytes);
  std::vector<std::byte> to(rows * kRow * to_bytes, std::byte{0xaa});
  for (std::size_t i = 0; i < rows * kRow; ++i)
    std::memcpy(from.data() + i * from_bytes, &numbers[i], from_bytes);
  Row frame{};
  frame.dst = to.data();
  frame.src[0] = from.data();
  frame.dst_step = static_cast<std::int64_t>(to_bytes);
  frame.src_step[0] = static_cast<std::int64_t>(from_bytes);
  frame.count = kCount;
  frame.rows = static_cast<std::int64_t>(rows);
  frame.dst_next = static_cast<std::int64_t>(kRow * to_bytes);
  frame.src_next[0] = static_cast<std::int64_t>(kRow * from_bytes);
  row(frame);
  for (std::size_t i = 0; i < rows * kRow; ++i) {
    std::uint32_t got = 0, want = 0;
    std::memcpy(&got, to.data() + i * to_bytes, to_bytes);
    if (i % kRow < kCount) {
      want = wanted(numbers[i]);
    } else {
      std::memset(&want, 0xaa, to_bytes);
    }
    ASSERT_EQ(got, want) << dtype_name(dst) << " of " << dtype_name(src) << ' ' << std::hex
                         << numbers[i];
  }
}
void compare(Dtype dst, Dtype src, RoundingMode mode, const std::vector<std::uint32_t>& numbers) {
  SCOPED_TRACE(rounding_mode_name(mode));
  const ConvertOptions options = tpu_cast_options(dst, src, mode);
  compare(cast_row(dst, src, options), dst, src, numbers, [&](std::uint32_t number) {
    return static_cast<std::uint32_t>(convert_element(number, dst, src, options));
  });
}

TEST(CastRows, GiveTheBitsOfElementsFromFp32) {
  const std::vector<std::uint32_t> numbers = numbers_of_fp32();
  on_every_target([&] {
    for (const Dtype dst : kOthers) {
      const int modes = dtype_info(dst).is_float ? 1 : kModes;
      for (int mode = 0; mode < modes; ++mode) {
        ASSERT_NO_FATAL_FAILURE(
            compare(dst, Dtype::kFp32, static_cast<RoundingMode>(mode), numbers));
      }
    }
  });
}

TEST(CastRows, GiveTheBitsOfElementsToFp32) {
  for (const Dtype src : kOthers) {
    const std::vector<std::uint32_t> numbers = numbers_of(src);
    on_every_target([&] {
      ASSERT_NO_FATAL_FAILURE(compare(Dtype::kFp32, src, RoundingMode::kHalfToEven, numbers));
    });
  }
}

// By halving and doubling, of numbers that are normal in fp32.
TEST(CastRows, FindTheExponentsOfFloats) {
  for (const Dtype src : {Dtype::kFp32, Dtype::kFp16, Dtype::kBf16}) {
    const std::vector<std::uint32_t> numbers =
        src == Dtype::kFp32 ? numbers_of_fp32() : numbers_of(src);
    const auto exponent = [&](std::uint32_t number) -> int {
      const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(
          convert_element(number, Dtype::kFp32, src,
                          tpu_cast_options(Dtype::kFp32, src, RoundingMode::kHalfToEven))));
      if (!std::isfinite(value)) return 128;
      return std::fabs(value) < 0x1p-126F ? -127 : std::ilogb(value);
    };
    on_every_target([&] {
      for (const Dtype dst : {Dtype::kInt8, Dtype::kInt16, Dtype::kInt32}) {
        const std::uint32_t low = 0xffffffffU >> static_cast<unsigned>(32 - dtype_bits(dst));
        ASSERT_NO_FATAL_FAILURE(compare(exponent_row(src, dtype_bytes(dst)), dst, src, numbers,
                                        [&](std::uint32_t number) {
                                          return static_cast<std::uint32_t>(exponent(number)) & low;
                                        }));
      }
    });
  }
}

TEST(CastRows, LeaveToOthersWhatTheyDoNotCompute) {
  const auto cast = [](Dtype dst, Dtype src, RoundingMode mode) {
    return cast_row(dst, src, tpu_cast_options(dst, src, mode));
  };
  EXPECT_EQ(cast(Dtype::kFp16, Dtype::kFp32, RoundingMode::kUp), nullptr);
  EXPECT_EQ(cast(Dtype::kFp32, Dtype::kInt32, RoundingMode::kTowardsZero), nullptr);
  EXPECT_EQ(cast(Dtype::kInt8, Dtype::kInt16, RoundingMode::kHalfToEven), nullptr);
  EXPECT_EQ(cast_row(Dtype::kFp16, Dtype::kFp32, {}), nullptr);
  EXPECT_NE(cast_row(Dtype::kFp32, Dtype::kUint8, {}), nullptr);  // exact in every way
}

}  // namespace
}  // namespace tensorlane
