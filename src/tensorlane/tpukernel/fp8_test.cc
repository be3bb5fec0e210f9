// 8-bit floats on chips that have them: all 256 values of both types, and all pairs of them, beside
// what their definitions say in double precision. On other chips they are refused by name.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "tensorlane/device/memory.h"
#include "tensorlane/device/session.h"
#include "tensorlane/tensor/convert.h"
#include "tensorlane/tpukernel/define.h"

namespace tensorlane::tpukernel {
namespace {

using testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int kValues = 256, kNanBits = 0x7f;

struct Fp8 {
  data_type_t code;
  int mantissa_bits, bias;
  bool has_infinity;

  // What a byte means.
  double value(int bits) const {
    const int magnitude = bits & 0x7f, exponent = magnitude >> mantissa_bits;
    const int mantissa = magnitude & ((1 << mantissa_bits) - 1);
    double size = 0;
    if (has_infinity && exponent == 31) {
      size = mantissa == 0 ? kInfinity : kNan;
    } else if (!has_infinity && magnitude == 0x7f) {
      size = kNan;
    } else if (exponent == 0) {
      size = std::ldexp(mantissa, 1 - bias - mantissa_bits);
    } else {
      size = std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
    }
    return bits >= 0x80 ? -size : size;
  }
  // Infinite, or NaN where there is no infinity.
  int overflow() const { return has_infinity ? 0x7c : kNanBits; }

  // The byte nearest to a number by one of the modes 0 to 4, found among all of them.
  int nearest(double number, rounding_mode_t mode) const {
    if (std::isnan(number)) return kNanBits;
    const int sign = std::signbit(number) ? 0x80 : 0;
    const double size = std::fabs(number);
    int below = 0;  // the largest value up to it
    while (below + 1 < overflow() && value(below + 1) <= size) ++below;
    const bool is_last = below + 1 == overflow();
    const double least = value(below),
                 most = is_last ? 2 * least - value(below - 1) : value(below + 1);
    if (size == least) return sign | below;
    if (size >= most) return sign | overflow();
    const double middle = (least + most) / 2;
    const bool nearest_is_above = size > middle || (size == middle && below % 2 != 0);
    const bool above = mode == RM_HALF_TO_EVEN          ? nearest_is_above
                       : mode == RM_HALF_AWAY_FROM_ZERO ? size >= middle
                       : mode == RM_DOWN                ? sign != 0
                       : mode == RM_UP                  ? sign == 0
                                                        : false;
    return sign | (above ? below + 1 : below);
  }
};
constexpr Fp8 kTypes[] = {{DT_FP8E4M3, 3, 7, false}, {DT_FP8E5M2, 2, 15, true}};
constexpr rounding_mode_t kModes[] = {RM_HALF_TO_EVEN, RM_HALF_AWAY_FROM_ZERO, RM_TOWARDS_ZERO,
                                      RM_DOWN, RM_UP};

// What an instruction's NULL stride is.
Arg no_stride() {
  return encode(static_cast<const dim4*>(nullptr));
}

class Fp8Functions : public testing::Test {
 protected:
  // Elements of a tensor of 64 channels on as many NPUs, `from` bytes into each.
  template <class T>
  void write(const std::vector<T>& elements, std::size_t from) {
    const std::size_t bytes = elements.size() * sizeof(T) / kNpus;
    for (std::size_t c = 0; c < kNpus; ++c)
      std::memcpy(at(c, from), reinterpret_cast<const std::byte*>(elements.data()) + c * bytes,
                  bytes);
  }
  template <class T>
  std::vector<T> read(std::size_t count, std::size_t from) {
    std::vector<T> elements(count);
    const std::size_t bytes = count * sizeof(T) / kNpus;
    for (std::size_t c = 0; c < kNpus; ++c)
      std::memcpy(reinterpret_cast<std::byte*>(elements.data()) + c * bytes, at(c, from), bytes);
    return elements;
  }
  void call(std::string_view function, std::initializer_list<Arg> args,
            const Chip& chip = find_chip("bm1690")) {
    Session session{.chip = chip, .memory = memory_, .observers = {}, .launch = {"k", 0, nullptr}};
    session.issue(*ops().find(function), {args.begin(), args.size()}, nullptr);
  }
  std::byte* at(std::size_t npu, std::size_t offset) {
    return memory_.base(Space::kLocal) + npu * (std::size_t{256} << 10) + offset;
  }
  std::byte* global() { return memory_.base(Space::kGlobal); }

  static constexpr std::size_t kNpus = 64;
  static constexpr unsigned kFirst = 0, kSecond = 4096, kResult = 8192;
  static constexpr dim4 kPairs = {1, 64, 16, 64};  // of all values
  static constexpr int kAllPairs = kValues * kValues;

 private:
  DeviceMemory memory_{find_chip("bm1690")};
};

std::vector<std::uint8_t> values_where(int (*value)(int), int count = kValues * kValues) {
  std::vector<std::uint8_t> list;
  for (int k = 0; k < count; ++k) list.push_back(static_cast<std::uint8_t>(value(k)));
  return list;
}
int first_of_pair(int k) {
  return k / kValues;
}
int second_of_pair(int k) {
  return k % kValues;
}

TEST_F(Fp8Functions, EveryValueIsWhatItsDefinitionSays) {
  const dim4 shape{1, 64, 1, 4};
  for (const Fp8& type : kTypes) {
    write(values_where(second_of_pair, kValues), kFirst);
    for (const data_type_t wide : {DT_FP32, DT_FP16, DT_BFP16}) {
      call("tpu_bdc_cast", {encode(kResult), encode(kFirst), encode(&shape), no_stride(),
                            no_stride(), encode(wide), encode(type.code), encode(RM_HALF_TO_EVEN)});
      const bool is_fp32 = wide == DT_FP32;
      std::vector<std::uint32_t> got(kValues);
      if (is_fp32) {
        got = read<std::uint32_t>(kValues, kResult);
      } else {
        std::ranges::copy(read<std::uint16_t>(kValues, kResult), got.begin());
      }
      for (int k = 0; k < kValues; ++k) {
        const double want = type.value(k);
        const auto number = static_cast<double>(std::bit_cast<float>(
            convert_element(got[static_cast<std::size_t>(k)], Dtype::kFp32, *dtype_of(wide))));
        EXPECT_TRUE(std::isnan(want) ? std::isnan(number)
                                     : number == want && std::signbit(number) == std::signbit(want))
            << k << " of type " << type.code << ": " << number << ", not " << want;
      }
    }
  }
}

// Every value, the middle between it and the next, and what lies a little beside both.
TEST_F(Fp8Functions, NumbersBecomeTheNearestInEveryMode) {
  const dim4 shape{1, 64, 1, 40};
  for (const Fp8& type : kTypes) {
    std::vector<float> numbers;
    for (int k = 0; k <= type.overflow(); ++k) {
      const bool is_last = k + 1 >= type.overflow();
      const double here =
          k < type.overflow() ? type.value(k) : 2 * type.value(k - 1) - type.value(k - 2);
      const double next = is_last ? 1.1 * here : type.value(k + 1);
      for (const double number : {here, (here + next) / 2}) {
        const auto size = static_cast<float>(number);
        for (const float each : {size, std::nextafter(size, 0.0F), std::nextafter(size, 1e9F)})
          for (const float sign : {1.0F, -1.0F}) numbers.push_back(sign * each);
      }
    }
    for (const float special :
         {0.0F, 1e9F, 3e38F, std::bit_cast<float>(0x7f800000U), std::bit_cast<float>(0x7fc00000U)})
      for (const float sign : {1.0F, -1.0F}) numbers.push_back(sign * special);
    ASSERT_LE(numbers.size(), 2560U);
    numbers.resize(2560, 1.0F);
    write(numbers, kFirst);
    for (const rounding_mode_t mode : kModes) {
      call("tpu_bdc_cast", {encode(kResult), encode(kFirst), encode(&shape), no_stride(),
                            no_stride(), encode(type.code), encode(DT_FP32), encode(mode)});
      const std::vector<std::uint8_t> got = read<std::uint8_t>(numbers.size(), kResult);
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        // fp32 below its least normal number counts as zero.
        const double number = std::fpclassify(numbers[k]) == FP_SUBNORMAL
                                  ? std::copysign(0.0, numbers[k])
                                  : numbers[k];
        EXPECT_EQ(got[k], type.nearest(number, mode))
            << numbers[k] << " to type " << type.code << " by mode " << mode;
      }
    }
  }
}

TEST_F(Fp8Functions, SumsAndProductsOfAllPairsAreRoundedOnce) {
  struct Function {
    std::string_view name;
    double (*compute)(double, double);
  };
  const Function functions[] = {{"tpu_bdc_fp_add", [](double a, double b) { return a + b; }},
                                {"tpu_bdc_fp_sub", [](double a, double b) { return a - b; }},
                                {"tpu_bdc_fp_mul", [](double a, double b) { return a * b; }}};
  write(values_where(first_of_pair), kFirst);
  write(values_where(second_of_pair), kSecond);
  for (const Fp8& type : kTypes) {
    for (const Function& function : functions) {
      call(function.name, {encode(kResult), encode(kFirst), encode(kSecond), encode(&kPairs),
                           no_stride(), no_stride(), no_stride(), encode(type.code)});
      const std::vector<std::uint8_t> got = read<std::uint8_t>(kAllPairs, kResult);
      int wrong = 0;
      for (int k = 0; k < kAllPairs && wrong < 5; ++k) {
        const double a = type.value(first_of_pair(k)), b = type.value(second_of_pair(k));
        const int want = type.nearest(function.compute(a, b), RM_HALF_TO_EVEN);
        if (got[static_cast<std::size_t>(k)] == want) continue;
        ++wrong;
        ADD_FAILURE() << function.name << " of " << a << " and " << b << ", type " << type.code
                      << ": " << int{got[static_cast<std::size_t>(k)]} << ", not " << want;
      }
    }
  }
}

// Rounded to fp32 first: of two types the sum may lie so near the middle that it becomes that.
double in_fp32(double number) {
  return static_cast<float>(number);
}

TEST_F(Fp8Functions, ConstantsOfTheirOwnTypeMakeResultsOfAnother) {
  const dim4 shape{1, 64, 1, 4};
  write(values_where(second_of_pair, kValues), kFirst);
  for (const Fp8& source : kTypes) {
    for (const Fp8& result : kTypes) {
      for (const int constant : {0x38, 0xc1, 0x01, 0x7b}) {  // bytes of either type
        const double c = result.value(constant);
        const auto run = [&](std::string_view function, double (*compute)(double, double)) {
          call(function, {encode(kResult), encode(kFirst),
                          encode(scalar_t{.u32 = static_cast<unsigned>(constant)}), encode(&shape),
                          no_stride(), no_stride(), encode(result.code), encode(source.code),
                          encode(result.code), encode(1)});
          const std::vector<std::uint8_t> got = read<std::uint8_t>(kValues, kResult);
          for (int k = 0; k < kValues; ++k) {
            EXPECT_EQ(got[static_cast<std::size_t>(k)],
                      result.nearest(in_fp32(compute(source.value(k), c)), RM_HALF_TO_EVEN))
                << function << " of " << source.value(k) << " and " << c;
          }
        };
        run("tpu_bdc_fp8_add_C", [](double x, double c) { return x + c; });
        run("tpu_bdc_fp8_C_sub", [](double x, double c) { return c - x; });
        run("tpu_bdc_fp8_mul_C", [](double x, double c) { return x * c; });
      }
    }
  }
}

// An outer product has all products by themselves; longer sums are those of the same numbers in
// fp16.
TEST_F(Fp8Functions, ProductsOfMatricesAreThoseOfTheirNumbers) {
  const Arg no = encode(false), none = encode(var_context_t{});
  constexpr unsigned kRows = 256;
  for (const Fp8& left : kTypes) {
    for (const Fp8& right : kTypes) {
      for (unsigned row = 0; row < kRows; ++row) {  // row r on NPU r % 64, 64 bytes a row
        *at(row % kNpus, row / kNpus * 64) = static_cast<std::byte>(row);
        *at(0, kSecond + row) = static_cast<std::byte>(row);
      }
      call("tpu_bdc_fp8_mm",
           {encode(kResult), encode(kFirst), encode(kSecond), encode(256), encode(1), encode(256),
            encode(DT_FP32), encode(left.code), encode(right.code), no, no, no, none});
      for (unsigned row = 0; row < kRows; ++row) {
        for (unsigned col = 0; col < kRows; ++col) {
          float got = 0;
          std::memcpy(&got, at(row % kNpus, kResult + row / kNpus * 1024 + col * 4), 4);
          const double want =
              left.value(static_cast<int>(row)) * right.value(static_cast<int>(col));
          if (std::isnan(want) ? std::isnan(got) : static_cast<double>(got) == want) continue;
          FAIL() << left.value(static_cast<int>(row)) << " * " << right.value(static_cast<int>(col))
                 << " = " << got;
        }
      }
    }
  }
}

TEST_F(Fp8Functions, SumsOfProductsAreThoseOfFp16) {
  constexpr int kRows = 37, kInner = 75, kCols = 41;
  constexpr unsigned kLeft = 0, kRight = 8192, kHalfLeft = 16384, kHalfRight = 32768, kSums = 49152,
                     kWanted = 65536;
  const dim4 left_shape{1, kRows, 1, kInner}, right_shape{1, kInner, 1, kCols};
  unsigned word = 1;
  for (std::size_t npu = 0; npu < kNpus; ++npu)
    for (unsigned offset = 0; offset < kHalfLeft; ++offset)
      *at(npu, offset) = static_cast<std::byte>((word = word * 1664525U + 1013904223U) >> 25U);
  for (const Fp8& left : kTypes) {
    const Fp8& right = kTypes[left.has_infinity ? 0 : 1];
    const auto widen = [&](unsigned to, unsigned from, const dim4& shape, data_type_t type) {
      call("tpu_bdc_cast", {encode(to), encode(from), encode(&shape), no_stride(), no_stride(),
                            encode(DT_FP16), encode(type), encode(RM_HALF_TO_EVEN)});
    };
    widen(kHalfLeft, kLeft, left_shape, left.code);
    widen(kHalfRight, kRight, right_shape, right.code);
    const Arg yes = encode(true), no = encode(false), none = encode(var_context_t{});
    for (const bool adds : {false, true}) {
      const Arg add = adds ? yes : no;
      call("tpu_bdc_fp8_mm", {encode(kSums), encode(kLeft), encode(kRight), encode(kRows),
                              encode(kInner), encode(kCols), encode(DT_FP32), encode(left.code),
                              encode(right.code), add, no, no, none});
      call("tpu_bdc_fp_mm", {encode(kWanted), encode(kHalfLeft), encode(kHalfRight), encode(kRows),
                             encode(kInner), encode(kCols), encode(DT_FP32), encode(DT_FP16), add});
      for (std::size_t row = 0; row < kRows; ++row)
        EXPECT_EQ(std::memcmp(at(row, kSums), at(row, kWanted), kCols * 4), 0) << row;
    }
  }
}

TEST_F(Fp8Functions, CopiesKeepAllBytes) {
  const dim4 shape{1, 64, 1, 4};
  const system_addr_t begin = find_chip("bm1690").global_alloc_begin;
  const std::vector<std::uint8_t> all = values_where(second_of_pair, kValues);
  for (const Fp8& type : kTypes) {
    std::memcpy(global(), all.data(), all.size());
    call("tpu_gdma_cpy_S2L", {encode(kFirst), encode(begin), encode(&shape), no_stride(),
                              no_stride(), encode(type.code)});
    call("tpu_bdc_cpy", {encode(kSecond), encode(kFirst), encode(&shape), no_stride(), no_stride(),
                         encode(type.code)});
    call("tpu_gdma_cpy_L2S", {encode(begin + 4096), encode(kSecond), encode(&shape), no_stride(),
                              no_stride(), encode(type.code)});
    EXPECT_EQ(std::memcmp(global() + 4096, all.data(), all.size()), 0);
    call("tpu_bdc_set_C", {encode(kSecond), encode(scalar_t{.u32 = 0x7e}), encode(&shape),
                           no_stride(), encode(type.code)});
    EXPECT_EQ(read<std::uint8_t>(kValues, kSecond), std::vector<std::uint8_t>(kValues, 0x7e));
  }
}

TEST_F(Fp8Functions, OtherChipsRefuseTheTypesByTheirName) {
  const dim4 shape{1, 4, 1, 4};
  for (const std::string_view name : {"bm1684x", "bm1688"}) {
    const Chip& chip = find_chip(name);
    EXPECT_FALSE(chip.has_function("tpu_bdc_fp8_mm"));
    for (const Fp8& type : kTypes) {
      const auto refusal = [&](std::string_view function, std::initializer_list<Arg> args) {
        try {
          call(function, args, chip);
        } catch (const UserError& error) {
          return std::string(error.what());
        }
        return std::string();
      };
      const std::string wanted = fmt::format("{}, a type that {} does not have",
                                             type.has_infinity ? "DT_FP8E5M2" : "DT_FP8E4M3", name);
      EXPECT_THAT(refusal("tpu_bdc_cast",
                          {encode(64U), encode(0U), encode(&shape), no_stride(), no_stride(),
                           encode(type.code), encode(DT_FP32), encode(RM_HALF_TO_EVEN)}),
                  HasSubstr("dst_dtype = " + wanted));
      EXPECT_THAT(refusal("tpu_bdc_cpy", {encode(64U), encode(0U), encode(&shape), no_stride(),
                                          no_stride(), encode(type.code)}),
                  HasSubstr("dtype = " + wanted));
    }
  }
  // What functions of no such type say is as on any chip.
  EXPECT_THROW(
      call("tpu_bdc_fp_div", {encode(kResult), encode(kFirst), encode(kSecond), encode(&shape),
                              no_stride(), no_stride(), no_stride(), encode(DT_FP8E4M3)}),
      UserError);
}

}  // namespace
}  // namespace tensorlane::tpukernel
