// Every shift and mode that the products take, on random numbers and extremes, by vectors of every
// instruction set, against the rule element by element.
#include "tensorlane/compute/rows/integer_products.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "tensorlane/base/every_target_test_support.h"
#include "tensorlane/tensor/instruction_set.h"

namespace tensorlane {
namespace {

constexpr std::int64_t kRows = 2, kBlocks = 2, kGap = 3, kWord = 4;

using Bytes = std::vector<std::byte>;

// What the sources of a frame are to each other.
enum class Factors : std::uint8_t { kTwo, kFirstForAll, kSecondForAll, kOneForEachRow, kSame };

template <class T>
class ProductTest {
 public:
  static constexpr Dtype kDtype = sizeof(T) == 4
                                      ? (std::is_signed_v<T> ? Dtype::kInt32 : Dtype::kUint32)
                                      : (std::is_signed_v<T> ? Dtype::kInt16 : Dtype::kUint16);
  static constexpr std::array kTypes = {kDtype, kDtype};

  // Rows of `count` elements.
  explicit ProductTest(std::int64_t count) : count_(count) {}

  void compare(const IntegerRule& rule, Factors factors) {
    const std::optional<IntegerProducts> products = integer_products(rule, kTypes, kDtype);
    ASSERT_TRUE(products);
    Row frame = make_frame(factors);
    Bytes got = operand(), want = got;
    frame.dst = want.data();
    integer_scalar_row(rule, kTypes, kDtype)(frame);
    frame.dst = got.data();
    ASSERT_TRUE(run_products(*products, frame));
    EXPECT_EQ(got, want) << said(rule, factors);
  }
  // Each row has a shift of its own, `rule.right` at most.
  void compare_by_byte(const IntegerRule& rule, Factors factors) {
    std::optional<IntegerProducts> products = integer_products(rule, kTypes, kDtype);
    ASSERT_TRUE(products);
    std::array<IntegerShift, 256> shifts{};
    Bytes bytes(kRows * kBlocks);
    for (std::byte& byte : bytes) {
      const int right = static_cast<int>(random_() % static_cast<unsigned>(rule.right + 1));
      byte = static_cast<std::byte>(-right);
      shifts[std::to_integer<std::size_t>(byte)] = integer_shift(with_shift(rule, -right));
    }
    products->by_byte = shifts.data();
    Row frame = make_frame(factors);
    frame.src[2] = bytes.data();
    frame.src_next[2] = 1;
    frame.src_block[2] = kRows;
    Bytes got = operand(), want = got;
    frame.dst = want.data();
    each_row(frame, [&](const Row& row) {
      const int shift = load_element<std::int8_t>(row.src[2]);
      integer_scalar_row(with_shift(rule, shift), kTypes, kDtype)(row);
    });
    frame.dst = got.data();
    ASSERT_TRUE(run_products(*products, frame));
    EXPECT_EQ(got, want) << said(rule, factors) << ", by byte";
    frame.src_step[2] = 1;
    EXPECT_FALSE(run_products(*products, frame));
  }

 private:
  static constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));

  // Elements with a gap behind each row; many have few bits, so that products end at the type's
  // ends.
  Bytes operand() {
    constexpr std::array<T, 6> kExtremes = {0,
                                            1,
                                            std::numeric_limits<std::make_signed_t<T>>::max(),
                                            static_cast<T>(T{1} << (8 * sizeof(T) - 1)),
                                            static_cast<T>(-1),
                                            T{1} << 4 * sizeof(T)};
    using Signed = std::make_signed_t<T>;
    Bytes all(static_cast<std::size_t>(kBlocks * kRows * (count_ + kGap) * kBytes));
    for (std::size_t at = 0; at < all.size(); at += sizeof(T)) {
      const T bits =
          random_() % 2 == 0 ? kExtremes[random_() % kExtremes.size()] : static_cast<T>(random_());
      const auto less = static_cast<T>(static_cast<Signed>(bits) >> random_() % (8 * sizeof(T)));
      store_element(&all[at], random_() % 2 == 0 ? bits : less);
    }
    return all;
  }
  Row make_frame(Factors factors) {
    for (Bytes& source : sources_) source = operand();
    Row frame{};
    frame.count = count_;
    frame.rows = kRows;
    frame.blocks = kBlocks;
    frame.dst_step = kBytes;
    frame.dst_next = (count_ + kGap) * kBytes;
    frame.dst_block = kRows * frame.dst_next;
    for (std::size_t k = 0; k < 2; ++k) {
      const bool for_all = factors == (k == 0 ? Factors::kFirstForAll : Factors::kSecondForAll);
      frame.src[k] = sources_[factors == Factors::kSame ? 0 : k].data();
      if (for_all) continue;
      frame.src_step[k] = k == 1 && factors == Factors::kOneForEachRow ? 0 : kBytes;
      frame.src_next[k] = frame.dst_next;
      frame.src_block[k] = frame.dst_block;
    }
    return frame;
  }
  std::string said(const IntegerRule& rule, Factors factors) const {
    return fmt::format("{}, {} elements, right {}, mode {}, sources {}{}", dtype_name(kDtype),
                       count_, rule.right, static_cast<int>(rule.mode), static_cast<int>(factors),
                       rule.saturate ? ", saturated" : "");
  }

  std::int64_t count_;
  std::array<Bytes, 2> sources_;
  std::mt19937 random_{1};
};

template <class T>
void compare_all_of(std::int64_t count) {
  ProductTest<T> test(count);
  for (int right = 1; right < static_cast<int>(8 * sizeof(T)); ++right) {
    for (int mode = 0; mode < kRoundingModeCount; ++mode) {
      for (const bool saturate : {false, true}) {
        const IntegerRule rule{IntegerOperation::kMultiply, 0, right,
                               static_cast<RoundingMode>(mode), saturate};
        for (const Factors factors : {Factors::kTwo, Factors::kFirstForAll, Factors::kSecondForAll,
                                      Factors::kOneForEachRow, Factors::kSame}) {
          for (int k = 0; k < (right == 1 ? 8 : 1); ++k) test.compare(rule, factors);
          test.compare_by_byte(rule, factors);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}
void compare_all() {
  compare_all_of<std::int32_t>(37);
  compare_all_of<std::uint32_t>(37);
  for (const std::int64_t count : {17, 69}) {
    compare_all_of<std::int16_t>(count);
    compare_all_of<std::uint16_t>(count);
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
  const auto shorts = integer_products(rule, kShort, Dtype::kInt16);
  ASSERT_TRUE(shorts);
  rule.right = 16;
  EXPECT_FALSE(integer_products(rule, kShort, Dtype::kInt16));
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
  // Short rows of elements of 16 bits, some of which fill a vector.
  frame.dst_step = 2;
  frame.src_step = {2, 2};
  frame.count = 15;
  EXPECT_FALSE(run_products(*shorts, frame));
}

}  // namespace
}  // namespace tensorlane
