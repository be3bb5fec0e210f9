#include "tensorlane/compute/bands/padded_rows.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cstring>
#include <random>
#include <vector>

#include "tensorlane/tensor/convert.h"

namespace tensorlane {
namespace {

struct Shape {
  int rows = *rc::gen::inRange(1, 6);
  int columns = *rc::gen::inRange(1, 70);
  int gap = *rc::gen::inRange(0, 40);    // of words
  int apart = *rc::gen::inRange(0, 20);  // of elements
  int pitch() const { return columns + gap; }
  int step() const { return columns + apart; }
};

std::vector<std::byte> random_bytes(std::size_t count) {
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  std::vector<std::byte> bytes(count);
  for (std::byte& each : bytes) each = static_cast<std::byte>(random());
  return bytes;
}

// Runs `law` with every vector instruction set of this processor.
template <class Law>
void on_all_targets(const Law& law) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    law();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// The bits of an element as a word, any NaN as one.
std::uint32_t word_of(const std::byte* element, Dtype type) {
  const bool is_float = dtype_info(type).is_float;
  std::uint32_t word = 0;
  convert_elements(&word, is_float ? Dtype::kFp32 : Dtype::kInt32, element, type, 1);
  return word;
}
std::uint32_t with_one_nan(std::uint32_t word, Dtype type) {
  const bool nan = dtype_info(type).is_float && (word & 0x7FFFFFFFU) > 0x7F800000U;
  return nan ? 0x7FFFFFFFU : word;
}

RC_GTEST_PROP(PaddedRows, RowsOfAnyTypeBecomeWordsWithPaddingBetween, ()) {
  const Shape shape;
  const Dtype type = *rc::gen::element(Dtype::kFp32, Dtype::kFp16, Dtype::kBf16, Dtype::kInt8,
                                       Dtype::kUint8, Dtype::kInt16, Dtype::kUint16, Dtype::kInt32);
  const int bytes = dtype_bytes(type);
  // No byte behind the last row: reading there shows under a sanitizer.
  const std::vector<std::byte> elements = random_bytes(
      static_cast<std::size_t>(((shape.rows - 1) * shape.step() + shape.columns) * bytes));
  const ElementRows rows{0, std::int64_t{shape.step()} * bytes, type, shape.rows, shape.columns};
  const Padding around{shape.pitch(), *rc::gen::inRange(0, 50), *rc::gen::inRange(0, 50)};
  const auto before = static_cast<int>(around.before);
  const int rows_end = (shape.rows - 1) * shape.pitch() + shape.columns;
  const int end = rows_end + static_cast<int>(around.behind);
  // Two tensors, each with a padding of its own.
  constexpr std::int32_t kPadding[] = {77, -3}, kUntouched = -5;
  const std::byte* const from[] = {elements.data(), elements.data()};
  const int step = before + end + *rc::gen::inRange(0, 9);
  on_all_targets([&] {
    std::vector<std::int32_t> words(static_cast<std::size_t>(2 * step) + kPaddedRowsSlack + 1,
                                    kUntouched);
    lay_out_rows(RowLayouts<std::int32_t>{rows, around, from, kPadding, words.data(), step});
    for (int i = 0; i < 2 * (before + end); ++i) {
      const int tensor = i / (before + end), at = i % (before + end) - before;
      const int row = at / shape.pitch(), column = at % shape.pitch();
      const std::int32_t found = words[static_cast<std::size_t>(tensor * step + before + at)];
      const auto word = std::bit_cast<std::uint32_t>(found);
      if (at < 0 || column >= shape.columns || at >= rows_end) {
        RC_ASSERT(found == kPadding[tensor]);
        continue;
      }
      const std::byte* element = elements.data() + (row * shape.step() + column) * bytes;
      RC_ASSERT(with_one_nan(word, type) == with_one_nan(word_of(element, type), type));
    }
    RC_ASSERT(words.back() == kUntouched);
  });
}

template <class Word>
void expect_rows_stored() {
  const Shape shape;
  const std::vector<std::byte> words =
      random_bytes(static_cast<std::size_t>(shape.rows * shape.pitch()) * sizeof(Word));
  std::vector<Word> from(static_cast<std::size_t>(shape.rows * shape.pitch()));
  std::memcpy(from.data(), words.data(), words.size());
  const auto bytes = static_cast<std::int64_t>(sizeof(Word));
  on_all_targets([&] {
    std::vector<std::byte> to(static_cast<std::size_t>(shape.rows * shape.step()) * sizeof(Word),
                              std::byte{99});
    std::vector<std::byte> expected = to;
    std::byte* const tensors[] = {to.data()};
    store_rows(WordRows<Word>{from.data(), 0, shape.pitch(), shape.rows, shape.columns, tensors,
                              shape.step() * bytes});
    for (int row = 0; row < shape.rows; ++row)
      std::memcpy(expected.data() + row * shape.step() * bytes, from.data() + row * shape.pitch(),
                  static_cast<std::size_t>(shape.columns) * sizeof(Word));
    RC_ASSERT(to == expected);
  });
}

RC_GTEST_PROP(PaddedRows, StoringWritesTheColumnsAlone, ()) {
  expect_rows_stored<float>();
  expect_rows_stored<std::uint16_t>();
  expect_rows_stored<std::uint8_t>();
}

}  // namespace
}  // namespace tensorlane
