// Every shift and mode that the products take, on random numbers and extremes, by vectors of every
// instruction set, against the rule element by element.
#include "tensorlane/compute/rows/integer_products.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "tensorlane/compute/rows/every_target_test_support.h"
#include "tensorlane/tensor/instruction_set.h"

namespace tensorlane {
namespace {

constexpr std::int64_t kCount = 37, kRows = 2, kBlocks = 2, kWord = 4;

using Words = std::vector<std::uint32_t>;

// What the sources of a frame are to each other.
enum class Factors : std::uint8_t { kTwo, kFirstForAll, kSecondForAll, kOneForEachRow, kSame };

class ProductTest {
 public:
  // Words with a gap behind each row; many have few bits, so that products end at the type's ends.
  Words operand() {
    constexpr std::array<std::uint32_t, 6> kExtremes = {0,           1,           0x7fffffffU,
                                                        0x80000000U, 0xffffffffU, 0x10000U};
    Words all(static_cast<std::size_t>(kBlocks * kRows * (kCount + 3)));
    for (std::uint32_t& word : all) {
      const std::uint32_t bits = random_() % 2 == 0 ? kExtremes[random_() % kExtremes.size()]
                                                    : static_cast<std::uint32_t>(random_());
      word = random_() % 2 == 0
                 ? bits
                 : static_cast<std::uint32_t>(static_cast<std::int32_t>(bits) >> random_() % 32);
    }
    return all;
  }

  void compare(const IntegerRule& rule, Dtype dtype, Factors factors) {
    const std::array<Dtype, 2> types = {dtype, dtype};
    const std::optional<IntegerProducts> products = integer_products(rule, types, dtype);
    ASSERT_TRUE(products);
    const std::array<Words, 2> sources = {operand(), operand()};
    Words got = operand(), want = got;
    Row frame{};
    frame.count = kCount;
    frame.rows = kRows;
    frame.blocks = kBlocks;
    frame.dst_step = kWord;
    frame.dst_next = (kCount + 3) * kWord;
    frame.dst_block = kRows * frame.dst_next;
    for (std::size_t k = 0; k < 2; ++k) {
      const bool for_all = factors == (k == 0 ? Factors::kFirstForAll : Factors::kSecondForAll);
      frame.src[k] =
          reinterpret_cast<const std::byte*>(sources[factors == Factors::kSame ? 0 : k].data());
      if (for_all) continue;
      frame.src_step[k] = k == 1 && factors == Factors::kOneForEachRow ? 0 : kWord;
      frame.src_next[k] = frame.dst_next;
      frame.src_block[k] = frame.dst_block;
    }
    frame.dst = reinterpret_cast<std::byte*>(want.data());
    integer_scalar_row(rule, types, dtype)(frame);
    frame.dst = reinterpret_cast<std::byte*>(got.data());
    ASSERT_TRUE(run_products(*products, frame));
    EXPECT_EQ(got, want) << fmt::format(
        "{}, right {}, mode {}, sources {}{}", dtype_name(dtype), rule.right,
        static_cast<int>(rule.mode), static_cast<int>(factors), rule.saturate ? ", saturated" : "");
  }

 private:
  std::mt19937 random_{1};
};

void compare_all() {
  ProductTest test;
  for (const Dtype dtype : {Dtype::kInt32, Dtype::kUint32}) {
    for (int right = 1; right < 32; ++right) {
      for (int mode = 0; mode < kRoundingModeCount; ++mode) {
        for (const bool saturate : {false, true}) {
          const IntegerRule rule{IntegerOperation::kMultiply, 0, right,
                                 static_cast<RoundingMode>(mode), saturate};
          for (const Factors factors :
               {Factors::kTwo, Factors::kFirstForAll, Factors::kSecondForAll,
                Factors::kOneForEachRow, Factors::kSame}) {
            for (int k = 0; k < (right == 1 ? 8 : 1); ++k) test.compare(rule, dtype, factors);
            if (testing::Test::HasFailure()) return;
          }
        }
      }
    }
  }
}

TEST(IntegerProducts, AreTheRule) {
  constexpr std::array kWords = {Dtype::kInt32, Dtype::kInt32};
  int with_vectors = 0;
  targets_test::on_every_target([&] {
    if (!integer_products({.operation = IntegerOperation::kMultiply, .right = 1}, kWords,
                          Dtype::kInt32))
      return;
    ++with_vectors;
    compare_all();
  });
  EXPECT_EQ(with_vectors > 0, instruction_set_limit() != "scalar");
}

TEST(IntegerProducts, LeaveOthersToWiderLanes) {
  if (instruction_set_limit() == "scalar") GTEST_SKIP() << "a way of vectors";
  constexpr std::array kWords = {Dtype::kInt32, Dtype::kInt32};
  constexpr std::array kMixed = {Dtype::kInt32, Dtype::kUint32};
  constexpr std::array kShort = {Dtype::kInt16, Dtype::kInt16};
  IntegerRule rule{.operation = IntegerOperation::kMultiply, .right = 1};
  const auto taken = integer_products(rule, kWords, Dtype::kInt32);
  ASSERT_TRUE(taken);
  EXPECT_FALSE(integer_products(rule, kWords, Dtype::kUint32));
  EXPECT_FALSE(integer_products(rule, kWords, Dtype::kInt16));
  EXPECT_FALSE(integer_products(rule, kMixed, Dtype::kInt32));
  EXPECT_FALSE(integer_products(rule, kShort, Dtype::kInt32));
  rule.right = 32;
  EXPECT_FALSE(integer_products(rule, kWords, Dtype::kInt32));
  rule = {.operation = IntegerOperation::kMultiply, .left = 1};
  EXPECT_FALSE(integer_products(rule, kWords, Dtype::kInt32));
  rule = {.operation = IntegerOperation::kAdd, .right = 1};
  EXPECT_FALSE(integer_products(rule, kWords, Dtype::kInt32));
  // Elements that do not stand side by side.
  Row frame{};
  frame.dst_step = kWord;
  frame.src_step = {kWord, 2 * kWord};
  frame.count = 1;
  EXPECT_FALSE(run_products(*taken, frame));
}

}  // namespace
}  // namespace tensorlane
