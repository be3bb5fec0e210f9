#include "tensorlane/inspect/value.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>

#include "tensorlane/tensor/convert.h"

namespace tensorlane::inspect {
namespace {

TEST(Value, IsThatOfTheConversionToFp32) {
  for (const DtypeInfo& info : all_dtypes()) {
    if (readable(info.dtype) != info.dtype || info.bits == 32) continue;
    for (std::uint32_t bits = 0; bits < std::uint32_t{1} << info.bits; ++bits) {
      const auto expected = std::bit_cast<float>(convert_element(bits, Dtype::kFp32, info.dtype));
      const double value = value_of(bits, info.dtype);
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(value)) << info.name << " " << bits;
      } else {
        ASSERT_EQ(value, expected) << info.name << " " << bits;
      }
    }
  }
}

TEST(Value, OfWideIntegersIsExact) {
  EXPECT_EQ(value_of(0x80000000u, Dtype::kInt32), -2147483648.0);
  EXPECT_EQ(value_of(0xffffffffu, Dtype::kUint32), 4294967295.0);
  EXPECT_EQ(value_of(0x7fffffffu, Dtype::kInt32), 2147483647.0);
}

TEST(Value, BitsAboveTheElementDoNotCount) {
  EXPECT_EQ(value_of(0xabcdef05u, Dtype::kInt8), 5);
  EXPECT_EQ(value_of(0xff00003fu, Dtype::kUint4), 15);
}

TEST(Value, TheTextOfAFloatNamesNoOther) {
  for (const DtypeInfo& info : all_dtypes()) {
    if (!info.is_float || info.bits == 32) continue;
    const Dtype dtype = info.dtype;
    for (std::uint32_t bits = 0; bits < std::uint32_t{1} << dtype_bits(dtype); ++bits) {
      const double value = value_of(bits, dtype);
      if (!std::isfinite(value)) continue;
      const auto read = static_cast<float>(std::atof(value_text(bits, dtype).c_str()));
      ASSERT_EQ(convert_element(std::bit_cast<std::uint32_t>(read), dtype, Dtype::kFp32), bits)
          << dtype_name(dtype);
    }
  }
}

TEST(Value, AsText) {
  EXPECT_EQ(value_text(0x3dcccccd, Dtype::kFp32), "0.1");
  EXPECT_EQ(value_text(0x2e66, Dtype::kFp16), "0.099976");
  EXPECT_EQ(value_text(0x3dcd, Dtype::kBf16), "0.1001");
  EXPECT_EQ(value_text(0xfd, Dtype::kInt8), "-3");
  EXPECT_EQ(value_text(0xff800000u, Dtype::kFp32), "-inf");
  EXPECT_EQ(value_text(0x3fc00000u, Dtype::kX32), "1.5 (0x3fc00000)");
  EXPECT_EQ(value_text(0xff, Dtype::kX8), "-1 (0xff)");
  EXPECT_EQ(value_text(0x0102, Dtype::kX16), "258 (0x0102)");
}

}  // namespace
}  // namespace tensorlane::inspect
