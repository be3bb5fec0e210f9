// Vectors whose largest products are at the ends of each type or just beyond, in every form that a
// frame of pairs has: the row is the saturated one, and takes the other where it may.
#include "tensorlane/compute/rows/small_products.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "tensorlane/compute/rows/integer_rows.h"
#include "tensorlane/compute/rows/typed_rows.h"
#include "tensorlane/tensor/instruction_set.h"
#include "tensorlane/tensor/rounding.h"

namespace tensorlane {
namespace {

using Bytes = std::vector<std::byte>;

class PairsTest {
 public:
  PairsTest(Dtype dtype, std::int64_t blocks, std::int64_t rows, std::int64_t count)
      : dtype_(dtype),
        bytes_(dtype_bytes(dtype)),
        left_(bytes(rows)),
        right_(bytes(blocks * count)) {
    frame_.blocks = blocks;
    frame_.rows = rows;
    frame_.count = count;
    frame_.src = {left_.data(), right_.data()};
    frame_.src_next[0] = frame_.src_step[1] = frame_.dst_step = bytes_;
    frame_.src_block[1] = frame_.dst_next = count * bytes_;
    frame_.dst_block = rows * frame_.dst_next;
  }

  // Numbers up to these sizes, one of each source at its end.
  void fill(std::int64_t left, std::int64_t right) {
    fill(left_, left);
    fill(right_, right);
  }
  // Whether low bits were taken for the results, which are the right ones.
  bool takes_low_bits() {
    const std::array<Dtype, 2> types = {dtype_, dtype_};
    IntegerRule rule{.operation = IntegerOperation::kMultiply};
    const SimdRow saturated = row_as_stored(rule, types, dtype_);
    rule.saturate = false;
    const SimdRow wrapping = row_as_stored(rule, types, dtype_);
    EXPECT_TRUE(saturated != nullptr && wrapping != nullptr);
    const Bytes wanted = result_of(saturated);
    EXPECT_EQ(result_of(small_products_row(saturated, wrapping, dtype_)), wanted);
    return products_stay(frame_, dtype_);
  }

 private:
  Bytes bytes(std::int64_t elements) const {
    return Bytes(static_cast<std::size_t>(elements * bytes_));
  }
  void store(Bytes& to, std::size_t i, std::int64_t value) const {
    std::memcpy(&to[i * static_cast<std::size_t>(bytes_)], &value,
                static_cast<std::size_t>(bytes_));
  }
  void fill(Bytes& to, std::int64_t size) {
    const std::size_t count = to.size() / static_cast<std::size_t>(bytes_);
    const auto most = static_cast<std::uint64_t>(size < 0 ? -size : size);
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = static_cast<std::int64_t>(random_() % (most + 1));
      store(to, i, size < 0 ? -value : value);
    }
    store(to, random_() % count, size);
  }
  Bytes result_of(const RowFunction& row) {
    Bytes result = bytes(frame_.blocks * frame_.rows * frame_.count);
    frame_.dst = result.data();
    row(frame_);
    return result;
  }

  Dtype dtype_;
  std::int64_t bytes_;
  Bytes left_, right_;
  Row frame_{};
  std::mt19937_64 random_{1};
};

TEST(SmallProducts, AreTheSaturatedOnes) {
  if (instruction_set_limit() == "scalar") GTEST_SKIP() << "a way of vectors";
  for (const Dtype dtype : {Dtype::kInt32, Dtype::kUint32}) {
    SCOPED_TRACE(dtype_name(dtype));
    const IntegerRange range = integer_range(dtype);
    for (const std::int64_t count : {16, 49, 77}) {
      PairsTest pairs(dtype, 3, 70, count);
      for (const std::int64_t factor : {1, 3, 5, 11}) {
        const std::int64_t most = range.max / factor;
        pairs.fill(factor, most);
        EXPECT_TRUE(pairs.takes_low_bits());
        pairs.fill(most, factor);
        EXPECT_TRUE(pairs.takes_low_bits());
        if (factor == 1) continue;
        pairs.fill(factor, most + 1);
        EXPECT_FALSE(pairs.takes_low_bits());
        if (range.min == 0) continue;
        pairs.fill(-factor, most + 1);
        EXPECT_EQ(pairs.takes_low_bits(), -factor * (most + 1) >= range.min);
        pairs.fill(-factor, -most - 2);
        EXPECT_FALSE(pairs.takes_low_bits());
      }
      if (range.min == 0) continue;
      pairs.fill(-1, range.min);
      EXPECT_FALSE(pairs.takes_low_bits());
    }
  }
}

TEST(SmallProducts, AreLookedForWhereItPays) {
  if (instruction_set_limit() == "scalar") GTEST_SKIP() << "a way of vectors";
  const auto are_taken = [](Dtype dtype, std::int64_t rows, std::int64_t count) {
    PairsTest pairs(dtype, 1, rows, count);
    pairs.fill(1, 1);
    return pairs.takes_low_bits();
  };
  EXPECT_TRUE(are_taken(Dtype::kInt32, 40, 49));
  EXPECT_FALSE(are_taken(Dtype::kInt32, 4, 16));
  EXPECT_FALSE(are_taken(Dtype::kInt32, 400, 8));
  EXPECT_FALSE(are_taken(Dtype::kInt16, 40, 49));
  EXPECT_FALSE(are_taken(Dtype::kUint8, 40, 49));
}

}  // namespace
}  // namespace tensorlane
