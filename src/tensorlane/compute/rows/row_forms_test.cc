// Every row function on every form of rows that it takes, against itself element by element: the
// law that RowForms states. Frames have gaps, rows and blocks that repeat, elements of one row for
// all of them; functions of any rows get steps of any kind, backwards too.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tensorlane/base/every_target_test_support.h"
#include "tensorlane/compute/rows/brief_rows.h"
#include "tensorlane/compute/rows/byte_float_rows.h"
#include "tensorlane/compute/rows/cast_rows.h"
#include "tensorlane/compute/rows/integer_vectors.h"
#include "tensorlane/compute/rows/saturated_rows.h"
#include "tensorlane/compute/rows/series_rows.h"
#include "tensorlane/compute/rows/typed_rows.h"
#include "tensorlane/compute/rows/widened_rows.h"

namespace tensorlane {
namespace {

using targets_test::on_every_target;

// A function with the widths of its elements. `fixed`: what source 1 holds, a number of the call.
struct RowUnderTest {
  std::string name;
  RowFunction run;
  std::vector<std::int64_t> bytes;  // of the result and of the sources
  bool any_rows = false;            // or those of vectors alone
  int fixed = 0;
};

// Bytes of an operand with room around them, and where its frame begins.
struct Memory {
  std::vector<std::byte> bytes;
  std::int64_t begin = 0;
};

class Frames {
 public:
  explicit Frames(const RowUnderTest& row) : row_(row) {}

  // One random frame: what the function gives and what its elements alone give.
  void compare() {
    frame_ = Row{};
    on_result_ = kMaxSources;
    frame_.count = one_of({1, 2, 3, 4, 5, 8, 16, 17, 31, 64, 100, 257});
    outer_ = random_() % 4 == 0;
    // Short rows of pairs are taken 128 at a time.
    frame_.rows = !outer_            ? one_of({1, 1, 2, 3, 9, 20})
                  : frame_.count < 9 ? one_of({8, 9, 16, 21, 131})
                                     : one_of({8, 9, 16, 21});
    frame_.blocks = one_of({1, 1, 2, 3});
    const std::size_t sources = row_.bytes.size() - 1;
    memories_.assign(sources + 1, {});
    place_result();
    const bool may_be_in_place = !outer_ && random_() % 3 == 0;
    const std::size_t in_place = may_be_in_place ? random_() % sources : sources;
    for (std::size_t k = 0; k < sources; ++k)
      k == in_place&& row_.bytes[k + 1] == row_.bytes[0] && row_.fixed == 0 ? place_on_result(k)
                                                                            : place_source(k);
    std::vector<std::byte> want = memories_[0].bytes;
    compute_alone(want);
    frame_.dst = memories_[0].bytes.data() + memories_[0].begin;
    if (on_result_ < sources) frame_.src[on_result_] = frame_.dst;
    row_.run(frame_);
    ASSERT_EQ(memories_[0].bytes, want) << text();
  }

  std::size_t forms() const { return forms_.size(); }

 private:
  std::int64_t one_of(std::initializer_list<std::int64_t> list) {
    return list.begin()[random_() % list.size()];
  }

  // Room for steps of any sign, filled with random bits among which are special numbers.
  void place(Memory& memory, std::int64_t step, std::int64_t next, std::int64_t block,
             std::int64_t bytes) {
    std::int64_t low = 0, high = bytes;
    const auto add = [&](std::int64_t by, std::int64_t extent) {
      (by < 0 ? low : high) += by * (extent - 1);
    };
    add(step, frame_.count);
    add(next, frame_.rows);
    add(block, frame_.blocks);
    memory.begin = 64 - low;
    memory.bytes.resize(static_cast<std::size_t>(high - low + 128));
    for (std::byte& byte : memory.bytes) byte = static_cast<std::byte>(random_());
    static constexpr std::uint32_t kSpecial[] = {0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
                                                 0x80000000, 0x00000001, 0x3f800000, 0};
    for (std::size_t i = 0; i + 4 <= memory.bytes.size(); i += 20) {
      if (random_() % 4 == 0) std::memcpy(&memory.bytes[i], &kSpecial[random_() % 8], 4);
    }
  }

  void place_result() {
    const std::int64_t bytes = row_.bytes[0];
    frame_.dst_step = bytes * (row_.any_rows ? one_of({1, one_of({2, 3, 4, -1, -2})}) : 1);
    const std::int64_t row = std::abs(frame_.dst_step) * frame_.count;
    frame_.dst_next = (row + bytes * one_of({0, 0, 1, 5})) * (row_.any_rows ? one_of({1, -1}) : 1);
    // Packed words: rows of two bytes, four apart.
    if (row <= 4 && bytes == 1 && random_() % 2 == 0) frame_.dst_next = 4;
    const std::int64_t all = std::abs(frame_.dst_next) * frame_.rows + row;
    frame_.dst_block = (all + bytes * one_of({0, 3, 40})) * (row_.any_rows ? one_of({1, -1}) : 1);
    note(along(frame_.dst_step, bytes));
    place(memories_[0], frame_.dst_step, frame_.dst_next, frame_.dst_block, bytes);
  }

  void place_source(std::size_t k) {
    const std::int64_t bytes = row_.bytes[k + 1];
    std::int64_t& step = frame_.src_step[k];
    step = bytes * (row_.any_rows ? one_of({0, 1, one_of({2, 3, 4, -1, 7})}) : one_of({0, 1}));
    const std::int64_t row = std::abs(step) * frame_.count;
    frame_.src_next[k] = one_of({0, row, row + bytes, row + 7 * bytes, -row - bytes, bytes});
    if (frame_.count == 2 && bytes == 1 && random_() % 2 == 0) frame_.src_next[k] = 4;
    if (outer_) frame_.src_next[k] = step == 0 ? one_of({0, bytes, 3 * bytes}) : 0;
    const std::int64_t all = std::abs(frame_.src_next[k]) * frame_.rows + row;
    frame_.src_block[k] = one_of({0, all, all + 9 * bytes, -all});
    if (row_.fixed != 0 && k == 1) step = frame_.src_next[k] = frame_.src_block[k] = 0;
    note(along(step, bytes));
    Memory& memory = memories_[k + 1];
    place(memory, step, frame_.src_next[k], frame_.src_block[k], bytes);
    frame_.src[k] = memory.bytes.data() + memory.begin;
    if (row_.fixed != 0 && k == 1)
      std::memcpy(memory.bytes.data() + memory.begin, &row_.fixed, sizeof row_.fixed);
  }

  // A copy, for the elements alone; the function gets the result's own.
  void place_on_result(std::size_t k) {
    on_result_ = k;
    frame_.src_step[k] = frame_.dst_step;
    frame_.src_next[k] = frame_.dst_next;
    frame_.src_block[k] = frame_.dst_block;
    memories_[k + 1] = memories_[0];
    frame_.src[k] = memories_[k + 1].bytes.data() + memories_[0].begin;
    note(along(frame_.dst_step, row_.bytes[0]));
  }

  void compute_alone(std::vector<std::byte>& to) {
    const std::size_t sources = row_.bytes.size() - 1;
    for (std::int64_t b = 0; b < frame_.blocks; ++b) {
      for (std::int64_t r = 0; r < frame_.rows; ++r) {
        for (std::int64_t i = 0; i < frame_.count; ++i) {
          std::array<std::array<std::byte, 8>, kMaxSources> values{};
          std::array<std::byte, 8> result{};
          Row one{};
          one.count = 1;
          one.dst = result.data();
          one.dst_step = row_.bytes[0];
          for (std::size_t k = 0; k < sources; ++k) {
            std::memcpy(values[k].data(),
                        frame_.src[k] + b * frame_.src_block[k] + r * frame_.src_next[k] +
                            i * frame_.src_step[k],
                        static_cast<std::size_t>(row_.bytes[k + 1]));
            one.src[k] = values[k].data();
            one.src_step[k] = row_.bytes[k + 1];
          }
          row_.run(one);
          std::memcpy(to.data() + memories_[0].begin + b * frame_.dst_block + r * frame_.dst_next +
                          i * frame_.dst_step,
                      result.data(), static_cast<std::size_t>(row_.bytes[0]));
        }
      }
    }
  }

  void note(Along form) { form_ += std::to_string(static_cast<int>(form)); }
  std::string text() {
    std::string text = row_.name + ": " + std::to_string(frame_.blocks) + " x " +
                       std::to_string(frame_.rows) + " x " + std::to_string(frame_.count) +
                       ", result " + std::to_string(frame_.dst_step) + " " +
                       std::to_string(frame_.dst_next) + " " + std::to_string(frame_.dst_block);
    for (std::size_t k = 0; k + 1 < row_.bytes.size(); ++k)
      text += ", source " + std::to_string(frame_.src_step[k]) + " " +
              std::to_string(frame_.src_next[k]) + " " + std::to_string(frame_.src_block[k]);
    return text;
  }

 public:
  // Ends a frame: its forms have been met.
  void finish() {
    forms_[form_] += 1;
    form_.clear();
  }

 private:
  const RowUnderTest& row_;
  std::mt19937 random_{7};
  Row frame_{};
  bool outer_ = false;  // pairs of vectors: sources are the same for all rows, or along each
  std::size_t on_result_ = kMaxSources;  // the source that is where the result goes
  std::vector<Memory> memories_;
  std::string form_;
  std::map<std::string, int> forms_;
};

// How many forms such a function takes.
std::size_t forms_of_rows(const RowUnderTest& row) {
  std::size_t forms = row.any_rows ? 2 : 1;  // of the result: not one for all
  for (std::size_t k = 1; k < row.bytes.size(); ++k) {
    if (row.fixed == 0 || k != 2) forms *= row.any_rows ? 3 : 2;
  }
  return forms;
}

// `make` gives the functions of the processor as it is at the time.
template <class Make>
void hold_to_the_law(const Make& make) {
  on_every_target([&] {
    for (const RowUnderTest& row : make()) {
      Frames frames(row);
      const int rounds = static_cast<int>(std::max<std::size_t>(12, 5 * forms_of_rows(row)));
      for (int k = 0; k < rounds; ++k) {
        ASSERT_NO_FATAL_FAILURE(frames.compare());
        frames.finish();
      }
      ASSERT_GE(frames.forms() * 10, forms_of_rows(row) * 8) << row.name;
    }
  });
}

RowUnderTest vectors(std::string name, SimdRow row, std::vector<std::int64_t> bytes,
                     int fixed = 0) {
  return {std::move(name), row, std::move(bytes), false, fixed};
}

std::vector<RowUnderTest> rows_of_series() {
#define TL_ROW(name) vectors(#name, simd::name, {4, 4, 4}, 5),
  return {TL_SERIES_ROWS(TL_ROW)};
#undef TL_ROW
}

TEST(RowForms, OfSeries) {
  hold_to_the_law(rows_of_series);
}

std::vector<RowUnderTest> rows_of_every_type() {
  std::vector<RowUnderTest> rows;
  for (const Dtype dtype : {Dtype::kFp32, Dtype::kFp16, Dtype::kBf16, Dtype::kInt8, Dtype::kUint8,
                            Dtype::kInt16, Dtype::kUint16, Dtype::kInt32, Dtype::kUint32}) {
    for (int k = 0; k < static_cast<int>(TypedRow::kCount); ++k) {
      const auto row = static_cast<TypedRow>(k);
      const SimdRow found = typed_row(row, dtype);
      if (found == nullptr) continue;
      rows.push_back(
          vectors(std::to_string(k) + " of " + std::string(dtype_name(dtype)), found,
                  std::vector<std::int64_t>(static_cast<std::size_t>(sources_of(row)) + 1,
                                            dtype_bytes(dtype))));
    }
  }
  return rows;
}

TEST(RowForms, OfEveryType) {
  EXPECT_GT(rows_of_every_type().size(), 160U);
  hold_to_the_law(rows_of_every_type);
}

std::vector<RowUnderTest> saturated_integers() {
  std::vector<RowUnderTest> rows;
  for (const Dtype dtype : {Dtype::kInt8, Dtype::kUint8, Dtype::kInt16, Dtype::kUint16,
                            Dtype::kInt32, Dtype::kUint32}) {
    for (const auto operation :
         {IntegerOperation::kAdd, IntegerOperation::kSubtract, IntegerOperation::kMultiply}) {
      const std::array sources = {dtype, dtype};
      if (const SimdRow found = saturated_row(operation, sources, dtype))
        rows.push_back(vectors("saturated " + std::string(dtype_name(dtype)), found,
                               std::vector<std::int64_t>(3, dtype_bytes(dtype))));
    }
  }
  return rows;
}

TEST(RowForms, OfSaturatedIntegers) {
  hold_to_the_law(saturated_integers);
}

std::vector<RowUnderTest> casts() {
  std::vector<RowUnderTest> rows;
  for (const Dtype other : {Dtype::kInt8, Dtype::kUint8, Dtype::kInt16, Dtype::kUint16,
                            Dtype::kInt32, Dtype::kUint32, Dtype::kFp16, Dtype::kBf16}) {
    for (int mode = 0; mode < 5; ++mode) {
      for (const auto& [dst, src] : {std::pair(other, Dtype::kFp32), {Dtype::kFp32, other}}) {
        const auto rounding = static_cast<RoundingMode>(mode);
        if (const SimdRow found = cast_row(dst, src, tpu_cast_options(dst, src, rounding)))
          rows.push_back(
              vectors(std::string(dtype_name(dst)) + " of " + std::string(dtype_name(src)), found,
                      {dtype_bytes(dst), dtype_bytes(src)}));
      }
    }
  }
  return rows;
}

TEST(RowForms, OfCasts) {
  EXPECT_GT(casts().size(), 40U);
  hold_to_the_law(casts);
}

std::vector<RowUnderTest> exponents() {
  std::vector<RowUnderTest> rows;
  for (const Dtype src : {Dtype::kFp32, Dtype::kFp16, Dtype::kBf16}) {
    for (const std::int64_t bytes : {1, 2, 4}) {
      rows.push_back(vectors("exponent of " + std::string(dtype_name(src)),
                             exponent_row(src, bytes), {bytes, dtype_bytes(src)}));
    }
  }
  return rows;
}

TEST(RowForms, OfExponents) {
  hold_to_the_law(exponents);
}

std::vector<RowUnderTest> brief_functions() {
  std::vector<RowUnderTest> rows;
  special::Constants constants;
  constants.first = 0.2F;
  constants.second = 0.5F;
  const auto add = [&](const special::Function& function, Dtype dtype, int sources) {
    const BriefRow row = brief_row(function.vector, dtype);
    ASSERT_NE(row, nullptr);
    rows.push_back(
        {"brief function of " + std::string(dtype_name(dtype)),
         [=](const Row& frame) { row(frame, constants); },
         std::vector<std::int64_t>(static_cast<std::size_t>(sources) + 1, dtype_bytes(dtype))});
  };
  for (const Dtype dtype : {Dtype::kFp32, Dtype::kFp16, Dtype::kBf16}) {
    for (const special::RootRule rule : {special::RootRule::kBare, special::RootRule::kChecked,
                                         special::RootRule::kCheckedTyped}) {
      add(special::div(dtype, rule), dtype, 2);
      add(special::reciprocal(dtype, rule), dtype, 1);
    }
    if (dtype == Dtype::kFp32) {
      add(special::softsign(special::Dialect::kSeries), dtype, 1);
      add(special::softsign(special::Dialect::kTables), dtype, 1);
    } else {
      add(special::hsigmoid(dtype), dtype, 1);
      add(special::hswish(dtype), dtype, 1);
    }
  }
  return rows;
}

TEST(RowForms, OfBriefFunctions) {
  hold_to_the_law(brief_functions);
}

std::vector<RowUnderTest> sums_of_byte_floats() {
  std::vector<RowUnderTest> rows;
  for (const Dtype src : {Dtype::kFp8E4M3, Dtype::kFp8E5M2}) {
    for (const Dtype dst : {Dtype::kFp32, Dtype::kFp16, Dtype::kBf16}) {
      const ByteFloatRow row = byte_float_row(ByteFloatFormula::kAdd, dst, src);
      rows.push_back({"sum of " + std::string(dtype_name(src)),
                      [=](const Row& frame) { row(frame, 0.3F); },
                      {dtype_bytes(dst), 1}});
    }
  }
  return rows;
}

TEST(RowForms, OfSumsOfByteFloats) {
  hold_to_the_law(sums_of_byte_floats);
}

std::vector<RowUnderTest> rows_of_any_form() {
  std::vector<RowUnderTest> rows;
  rows.push_back({"scalar",
                  scalar_row<float, float, std::uint32_t>(
                      [](float a, std::uint32_t b) { return b % 2 == 0 ? a : 1.0F; }),
                  {4, 4, 4},
                  true});
  rows.push_back(
      {"scalar of bytes",
       scalar_row<std::uint16_t, std::uint8_t, std::uint32_t>(
           [](std::uint8_t a, std::uint32_t b) { return static_cast<std::uint16_t>(a + b); }),
       {2, 1, 4},
       true});
  const std::array integers = {Dtype::kInt8,   Dtype::kUint8, Dtype::kInt16,
                               Dtype::kUint16, Dtype::kInt32, Dtype::kUint32};
  for (const Dtype dst : integers) {
    for (const Dtype a : integers) {
      const std::string types = std::string(dtype_name(dst)) + " of " + std::string(dtype_name(a));
      rows.push_back(
          {"wide " + types,
           wide_row<std::int64_t, std::int64_t, std::int64_t>(
               [](std::int64_t x, std::int64_t y) { return x + y; }, dst, {a, Dtype::kInt16}),
           {dtype_bytes(dst), dtype_bytes(a), 2},
           true});
      for (const IntegerRule& rule :
           {IntegerRule{IntegerOperation::kMultiply, 0, 3, RoundingMode::kHalfToEven, true},
            IntegerRule{IntegerOperation::kAdd, 2, 0, RoundingMode::kDown, true},
            IntegerRule{IntegerOperation::kMaximum, 0, 0, RoundingMode::kDown, false}}) {
        const std::array sources = {a, Dtype::kInt8};
        if (RowFunction found = integer_vector_row(rule, sources, dst))
          rows.push_back(
              {"vectors " + types, std::move(found), {dtype_bytes(dst), dtype_bytes(a), 1}, true});
      }
    }
  }
  return rows;
}

TEST(RowForms, OfRowsOfAnyForm) {
  hold_to_the_law(rows_of_any_form);
}

}  // namespace
}  // namespace tensorlane
