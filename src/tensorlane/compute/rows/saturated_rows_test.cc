// Every operation and type that saturated rows take, on all bytes, extremes and random numbers, by
// vectors of every instruction set, against the rule element by element.
#include "tensorlane/compute/rows/saturated_rows.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "tensorlane/base/every_target_test_support.h"
#include "tensorlane/tensor/instruction_set.h"

namespace tensorlane {
namespace {

using targets_test::on_every_target;

// The low bytes of words, side by side.
std::vector<std::byte> stored(const std::vector<std::uint32_t>& words, std::int64_t bytes) {
  std::vector<std::byte> all;
  for (const std::uint32_t word : words) {
    const auto* const at = reinterpret_cast<const std::byte*>(&word);
    all.insert(all.end(), at, at + bytes);
  }
  return all;
}

// Pairs of numbers: all of bytes, else of the ends and some others.
struct Numbers {
  std::vector<std::uint32_t> a, b;

  explicit Numbers(std::int64_t bytes) {
    std::vector<std::uint32_t> each;
    std::mt19937 random(3);
    for (std::uint32_t k = 0; k < 256; ++k)
      each.push_back(bytes == 1 ? k : k % 2 == 0 ? random() : random() >> (random() % 32));
    if (bytes > 1) {
      const std::uint32_t end = bytes == 2 ? 0x8000 : 0x80000000U;
      for (std::uint32_t k = 0; k < 5; ++k) {
        each[k] = end + k - 2;
        each[k + 5] = k - 2;
        each[k + 10] = (bytes == 2 ? 0xb5 : 0xb504) + k - 2;  // near the root of the end
      }
    }
    for (const std::uint32_t x : each) {
      for (const std::uint32_t y : each) {
        a.push_back(x);
        b.push_back(y);
      }
    }
  }
};

int compare_types(IntegerOperation operation, Dtype source, Dtype dst) {
  const std::array types = {source, source};
  const SimdRow row = saturated_row(operation, types, dst);
  if (row == nullptr) return 0;
  const std::int64_t bytes = dtype_bytes(source);
  const Numbers numbers(bytes);
  const std::vector<std::byte> a = stored(numbers.a, bytes), b = stored(numbers.b, bytes);
  std::vector<std::byte> got(a.size()), want(a.size());
  Row frame{};
  frame.count = static_cast<std::int64_t>(numbers.a.size());
  frame.dst_step = frame.src_step[0] = frame.src_step[1] = bytes;
  frame.src = {a.data(), b.data()};
  frame.dst = got.data();
  row(frame);
  frame.dst = want.data();
  integer_scalar_row({.operation = operation}, types, dst)(frame);
  EXPECT_EQ(got, want) << static_cast<int>(operation) << " " << dtype_name(source) << " -> "
                       << dtype_name(dst);
  return 1;
}

// Every shift to the left, a row each; elements that a row has for all, in place and ends of rows.
void compare_raised(IntegerOperation operation, Dtype source, Dtype dst) {
  const std::array types = {source, source};
  const SimdRow row = raised_row(operation, types, dst);
  if (row == nullptr) return;
  const std::int64_t bytes = dtype_bytes(source);
  const Numbers numbers(bytes);
  std::vector<std::uint8_t> shifts;
  for (int shift = 0; shift < dtype_bits(dst); ++shift)
    shifts.push_back(shift % 3 == 0 ? 0 : shift);
  static std::mt19937 random(4);
  // A second source of its own for each element, for each row, and one for all of them: large
  // and small ones.
  constexpr std::array kForms = {3, 2, 1, 0, 0, 0, 0, 0, 0};
  const auto compare = [&](std::int64_t count, int form) {
    const auto rows = static_cast<std::int64_t>(shifts.size());
    const auto begin = static_cast<std::ptrdiff_t>(random() % 60000);
    const auto part = [&](const std::vector<std::uint32_t>& words) {
      return std::vector<std::uint32_t>(words.begin() + begin,
                                        words.begin() + begin + rows * count);
    };
    std::vector<std::byte> a = stored(part(numbers.a), bytes);
    const std::vector<std::byte> b = stored(part(numbers.b), bytes);
    std::vector<std::byte> want(a.size());
    Row frame{};
    frame.count = count;
    frame.rows = rows;
    frame.dst_step = frame.src_step[0] = bytes;
    frame.src_step[1] = (form & 1) != 0 ? bytes : 0;
    frame.dst_next = frame.src_next[0] = count * bytes;
    frame.src_next[1] = (form & 2) != 0 ? count * bytes : 0;
    frame.src_next[2] = 1;
    frame.src = {a.data(), b.data(), reinterpret_cast<const std::byte*>(shifts.data())};
    frame.dst = want.data();
    each_row(frame, [&](Row one) {
      const auto shift = load_element<std::uint8_t>(one.src[2]);
      integer_scalar_row(with_shift({.operation = operation}, shift), types, dst)(one);
    });
    frame.dst = a.data();  // in place
    row(frame);
    EXPECT_EQ(a, want) << static_cast<int>(operation) << " " << dtype_name(source) << " -> "
                       << dtype_name(dst) << ", " << count << ", " << form;
  };
  for (const std::int64_t count : {1, 5, 16, 49, 67, 130}) {
    for (const int form : kForms) compare(count, form);
  }
}

TEST(SaturatedRows, AreTheRule) {
  constexpr std::array kTypes = {Dtype::kInt8,   Dtype::kUint8, Dtype::kInt16,
                                 Dtype::kUint16, Dtype::kInt32, Dtype::kUint32};
  int most = 0;
  on_every_target([&] {
    int found = 0;
    for (const auto operation :
         {IntegerOperation::kAdd, IntegerOperation::kSubtract, IntegerOperation::kMultiply}) {
      for (const Dtype source : kTypes) {
        for (const Dtype dst : kTypes) {
          found += compare_types(operation, source, dst);
          compare_raised(operation, source, dst);
        }
      }
    }
    most = std::max(most, found);
  });
  EXPECT_EQ(most, instruction_set_limit() == "scalar" ? 0 : 18);
}

}  // namespace
}  // namespace tensorlane
