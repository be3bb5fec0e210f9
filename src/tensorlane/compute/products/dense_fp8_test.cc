// All numbers of 8 bits as fp32, at every place of a vector, on every instruction set.
#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <vector>

#include "tensorlane/base/every_target_test_support.h"
#include "tensorlane/compute/products/dense_words.h"
#include "tensorlane/tensor/convert.h"

namespace tensorlane {
namespace {

// By way of fp16, one by one.
std::uint32_t expected(std::uint8_t bits, Dtype dtype) {
  const auto half = convert_element(
      bits, Dtype::kFp16, dtype, tpu_cast_options(Dtype::kFp16, dtype, RoundingMode::kHalfToEven));
  const auto word = static_cast<std::uint16_t>(half);
  float number = 0;
  convert_elements(&number, Dtype::kFp32, &word, Dtype::kFp16, 1);
  return std::bit_cast<std::uint32_t>(number);
}

TEST(WidenFp8, GivesEveryNumberInRowsOfEveryLength) {
  std::mt19937 random(3);
  for (const Dtype dtype : {Dtype::kFp8E4M3, Dtype::kFp8E5M2}) {
    std::vector<std::uint8_t> bytes;
    for (int bits = 0; bits < 256; ++bits) bytes.push_back(static_cast<std::uint8_t>(bits));
    for (int i = 0; i < 1000; ++i) bytes.push_back(static_cast<std::uint8_t>(random()));
    targets_test::on_every_target([&] {
      for (std::size_t first = 0; first < bytes.size(); first += 1 + random() % 40) {
        const std::size_t count =
            std::min<std::size_t>(bytes.size() - first, first == 0 ? 256 : random() % 80);
        std::vector<float> numbers(count + 1, 7.0F);
        widen_fp8(reinterpret_cast<const std::byte*>(bytes.data() + first), dtype,
                  static_cast<std::int64_t>(count), numbers.data());
        for (std::size_t i = 0; i < count; ++i) {
          ASSERT_EQ(std::bit_cast<std::uint32_t>(numbers[i]), expected(bytes[first + i], dtype))
              << dtype_name(dtype) << " " << static_cast<int>(bytes[first + i]);
        }
        ASSERT_EQ(numbers[count], 7.0F);
      }
    });
  }
}

}  // namespace
}  // namespace tensorlane
