// Every 16-bit float widened and numbers of fp32 narrowed, by vectors of every instruction set, as
// convert_element() has them.
#include "tensorlane/compute/rows/half_arrays.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <random>
#include <vector>

#include "tensorlane/base/every_target_test_support.h"
#include "tensorlane/base/fp_environment.h"
#include "tensorlane/tensor/convert.h"

namespace tensorlane {
namespace {

// Where hosts compute and where kernels do.
template <class F>
void in_both_environments(const F& f) {
  targets_test::for_every_target([&] {
    f();
    const ChipFloatScope flush;
    f();
  });
}

TEST(HalfArrays, WidenEveryNumber) {
  std::vector<std::uint16_t> halves(65536);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i);
  for (const Dtype dtype : {Dtype::kFp16, Dtype::kBf16}) {
    in_both_environments([&] {
      std::vector<float> wide(halves.size());
      widen_halves(dtype, reinterpret_cast<const std::byte*>(halves.data()), halves.size(),
                   wide.data());
      for (std::size_t i = 0; i < halves.size(); ++i) {
        ASSERT_EQ(std::bit_cast<std::uint32_t>(wide[i]),
                  convert_element(halves[i], Dtype::kFp32, dtype))
            << dtype_name(dtype) << " " << i;
      }
    });
  }
}

// Around every 16-bit number: itself, the middle to the next, a little beside both; and any bits.
std::vector<float> numbers_around(Dtype dtype) {
  std::vector<float> numbers;
  std::mt19937 random{1};
  for (std::uint32_t half = 0; half < 65536; ++half) {
    const std::uint32_t bits = convert_element(half, Dtype::kFp32, dtype);
    const std::uint32_t middle = dtype == Dtype::kFp16 ? 0x1000U : 0x8000U;
    for (const std::uint32_t added : {0U, 1U, middle - 1, middle, middle + 1})
      numbers.push_back(std::bit_cast<float>(bits + added));
    numbers.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  }
  return numbers;
}

TEST(HalfArrays, NarrowAsTheChipCasts) {
  for (const Dtype dtype : {Dtype::kFp16, Dtype::kBf16}) {
    const std::vector<float> numbers = numbers_around(dtype);
    const ConvertOptions options = tpu_cast_options(dtype, Dtype::kFp32, RoundingMode::kHalfToEven);
    in_both_environments([&] {
      for (const std::size_t count : {numbers.size(), std::size_t{7}}) {
        std::vector<std::uint16_t> halves(count);
        narrow_to_halves(dtype, numbers.data(), count, reinterpret_cast<std::byte*>(halves.data()));
        for (std::size_t i = 0; i < count; ++i) {
          const auto bits = std::bit_cast<std::uint32_t>(numbers[i]);
          ASSERT_EQ(halves[i], convert_element(bits, dtype, Dtype::kFp32, options))
              << dtype_name(dtype) << " of " << std::hex << bits;
        }
      }
    });
  }
}

}  // namespace
}  // namespace tensorlane
