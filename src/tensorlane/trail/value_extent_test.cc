#include "tensorlane/trail/value_extent.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace tensorlane::trail {
namespace {

template <class T>
const std::byte* bytes_of(const std::vector<T>& memory) {
  return reinterpret_cast<const std::byte*>(memory.data());
}

// `count` elements, every `step`-th from element `first`.
Footprint every(Dtype dtype, std::int64_t first, std::int64_t count, std::int64_t step) {
  Layout layout(dtype);
  layout.add_dim(count, {{count, step * dtype_bytes(dtype)}});
  layout.set_base(first * dtype_bytes(dtype));
  return footprint(layout);
}

// The extremes wherever they stand: in a whole vector, in the rest behind it, at both ends.
template <class T>
void expect_found_everywhere(Dtype dtype) {
  const std::int64_t count = 150;
  for (std::int64_t step : {1, 3}) {
    for (std::int64_t at = 0; at < count; ++at) {
      std::vector<T> memory(static_cast<std::size_t>(count * step + 9), T{90});  // between: 90
      for (std::int64_t k = 0; k < count; ++k)
        memory[static_cast<std::size_t>(5 + k * step)] = static_cast<T>(k % 7 + 40);
      const Footprint bytes = every(dtype, 5, count, step);
      T& element = memory[static_cast<std::size_t>(5 + at * step)];
      const T old = std::exchange(element, T{3});
      EXPECT_EQ(value_extent(bytes_of(memory), bytes, dtype).least, 3) << at;
      element = T{80};
      EXPECT_EQ(value_extent(bytes_of(memory), bytes, dtype).most, 80) << at;
      element = old;
      const ValueExtent plain = value_extent(bytes_of(memory), bytes, dtype);
      EXPECT_EQ(std::pair(plain.least, plain.most), std::pair(40.0, 46.0)) << at;
    }
  }
}

TEST(ValueExtent, FindsTheExtremesOfEveryTypeAndStride) {
  expect_found_everywhere<float>(Dtype::kFp32);
  expect_found_everywhere<std::int32_t>(Dtype::kInt32);
  expect_found_everywhere<std::uint32_t>(Dtype::kUint32);
  expect_found_everywhere<std::int16_t>(Dtype::kInt16);
  expect_found_everywhere<std::uint16_t>(Dtype::kUint16);
  expect_found_everywhere<std::int8_t>(Dtype::kInt8);
  expect_found_everywhere<std::uint8_t>(Dtype::kUint8);
}

TEST(ValueExtent, ReadsIntegersWithTheirSign) {
  const std::vector<std::uint32_t> words(40, 0xfffffffeu);
  const Footprint all = every(Dtype::kInt32, 0, 40, 1);
  EXPECT_EQ(value_extent(bytes_of(words), all, Dtype::kInt32).most, -2);
  EXPECT_EQ(value_extent(bytes_of(words), all, Dtype::kUint32).least, 4294967294.0);
}

TEST(ValueExtent, PassesOverNaNAndKeepsInfinity) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> memory(100, kNaN);
  const Footprint all = every(Dtype::kFp32, 0, 100, 1);
  const ValueExtent none = value_extent(bytes_of(memory), all, Dtype::kFp32);
  EXPECT_GT(none.least, none.most);
  memory[57] = -kInfinity;
  const ValueExtent one = value_extent(bytes_of(memory), all, Dtype::kFp32);
  EXPECT_EQ(one.least, -kInfinity);
  EXPECT_EQ(one.most, -kInfinity);
}

TEST(ValueExtent, NothingIsSaidOfOtherTypesAndOfNoElements) {
  const std::vector<float> memory(8, 1.0f);
  const ValueExtent half =
      value_extent(bytes_of(memory), every(Dtype::kFp16, 0, 8, 1), Dtype::kFp16);
  EXPECT_GT(half.least, half.most);
  const ValueExtent none = value_extent(bytes_of(memory), {}, Dtype::kFp32);
  EXPECT_GT(none.least, none.most);
}

TEST(ValueExtent, EveryElementOutsideIsNamedOnce) {
  std::vector<float> memory(64, 0.0f);
  memory[4] = 88.5f;
  memory[6] = -104.0f;
  memory[7] = 1e9f;  // not an element
  memory[8] = std::numeric_limits<float>::quiet_NaN();
  memory[10] = 88.0f;
  std::vector<std::pair<std::int64_t, double>> found;
  for_each_outside(bytes_of(memory), every(Dtype::kFp32, 0, 30, 2), Dtype::kFp32, -103, 88,
                   [&](Range bytes, double value) {
                     EXPECT_EQ(bytes.bytes(), 4);
                     found.emplace_back(bytes.begin, value);
                   });
  EXPECT_EQ(found, (std::vector<std::pair<std::int64_t, double>>{{16, 88.5}, {24, -104.0}}));
}

}  // namespace
}  // namespace tensorlane::trail
