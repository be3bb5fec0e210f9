// Fast matrix product of integers of 16 and 32 bits with more than a few rows, digit by digit:
// tiles multiply bytes eight times and more as fast as what holds sums of 64 bits.
//
//   left  = sum over i of 256^i * l[i] + left offset     l[i] bytes with sign
//   right = sum over j of 256^j * r[j] + right offset    r[j] bytes without
//
// Digits are the bytes of the numbers, moved by 128 where they have the other sign; the offsets
// make up for that. Sums of l[i] * r[j] with the same i + j are one sum of tiles: a longer row of
// the left operand meets a longer column of the right one.
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "tensorlane/compute/bands/scratch.h"
#include "tensorlane/compute/bands/tasks.h"
#include "tensorlane/compute/bands/view_forms.h"
#include "tensorlane/compute/matrices/any_type_matmul.h"
#include "tensorlane/compute/matrices/byte_tiles.h"
#include "tensorlane/compute/matrices/matrix_words.h"
#include "tensorlane/compute/matrices/wide_results.h"
#include "tensorlane/compute/products/byte_quads.h"
#include "tensorlane/compute/products/dense_words.h"
#include "tensorlane/compute/products/streamed_product.h"
#include "tensorlane/compute/tiles/wide_tile.h"

namespace tensorlane {
namespace {

constexpr int kMostDigits = 4;
constexpr int kMostDigitSums = 2 * kMostDigits - 1;
// Panels of all digits, and their sums, stay in the second-level cache.
constexpr int kDigitPanelBytes = 512 * 1024;
constexpr int kDigitColumns = 256;  // of a panel at most
// Blocks of rows of the left operand that are packed one after the other.
constexpr int kBlocksAtOnce = 8;
constexpr std::int64_t kLargestDigitProduct = 128 * 255;

// Of the left operand: digits without sign are moved to those with sign.
std::uint64_t left_offset(Dtype type) {
  std::uint64_t offset = 0;
  const int moved = dtype_bytes(type) - (dtype_info(type).is_signed ? 1 : 0);
  for (int digit = 0; digit < moved; ++digit) offset += std::uint64_t{128} << (8 * digit);
  return offset;
}

// Of the right operand: a highest digit with sign is moved to those without.
std::uint64_t right_offset(Dtype type) {
  if (!dtype_info(type).is_signed) return 0;
  return 0 - (std::uint64_t{128} << (8 * (dtype_bytes(type) - 1)));
}

class DigitProduct {
 public:
  explicit DigitProduct(const AnyTypeMatmulArgs& args)
      : args_(args),
        left_digits_(dtype_bytes(args.left.type)),
        right_digits_(dtype_bytes(args.right.type)),
        tiles_(IntegerFactors::kUnsignedInputs, args.rows, args.inner),
        rows_panels_(IntegerFactors::kUnsignedInputs, tiles_.shape(), left_digits_ * digit_bytes()),
        results_(args) {}

  void run() {
    pack_left();
    const int most = kDigitPanelBytes / (args_.inner * right_digits_) / kWideColumns * kWideColumns;
    const int each = std::clamp(most, kWideColumns, kDigitColumns);
    const int count = (args_.cols + each - 1) / each;
    const std::int64_t work = std::int64_t{args_.rows} * args_.inner * args_.cols;
    for_each_task(count, work, [&](std::int64_t i) {
      const InTileScope scope(tiles_.scope());
      const int first = static_cast<int>(i) * each;
      const int columns = std::min(each, args_.cols - first);
      auto* const panel = thread_scratch<0, std::int32_t>(tiles_.panels().right_words(columns) *
                                                          static_cast<std::size_t>(right_digits_));
      pack_right(first, columns, panel);
      multiply(first, columns, panel);
    });
  }

 private:
  // Of one digit in a row of the left operand: whole groups of steps.
  int digit_bytes() const { return tiles_.panels().steps() * 4; }
  int sums() const { return left_digits_ + right_digits_ - 1; }
  // Words from one digit of the right operand to the next.
  std::size_t digit_words(int columns) const { return tiles_.panels().right_words(columns); }

  // Rows of digits, the lowest first.
  void pack_left() {
    AnyTypeMatrix left = args_.left;
    if (left.type == Dtype::kUint32) left.type = Dtype::kInt32;  // the same bits
    const auto words = read_matrix<std::int32_t>(left, args_.rows, args_.inner);
    const std::int64_t row_bytes = std::int64_t{left_digits_} * digit_bytes();
    Words<std::byte> digits(static_cast<std::size_t>(args_.rows * row_bytes));
    const std::uint64_t offset = left_offset(args_.left.type);
    const std::uint64_t factor = right_offset(args_.right.type);
    row_terms_.resize(static_cast<std::size_t>(args_.rows));
    const std::int64_t work = layout_work(std::int64_t{args_.rows} * args_.inner);
    for_each_task(args_.rows, work, [&](std::int64_t row) {
      auto* const split = thread_scratch<2, std::byte>(std::size_t{kMostDigits} *
                                                       static_cast<std::size_t>(args_.inner));
      std::array<std::byte*, kMostDigits> parts{};
      for (std::size_t digit = 0; digit < parts.size(); ++digit)
        parts[digit] = split + digit * static_cast<std::size_t>(args_.inner);
      const std::int32_t* from = words.data() + row * args_.inner;
      std::byte* const to = digits.data() + row * row_bytes;
      std::memset(to, 0, static_cast<std::size_t>(row_bytes));
      split_bytes(reinterpret_cast<const std::byte*>(from), args_.inner, kMostDigits, parts.data());
      for (int digit = 0; digit < left_digits_; ++digit) {
        const auto moved = static_cast<std::byte>((offset >> (8 * digit)) & 0x80U);
        const std::byte* part = parts[static_cast<std::size_t>(digit)];
        std::transform(part, part + args_.inner, to + std::ptrdiff_t{digit} * digit_bytes(),
                       [=](std::byte byte) { return byte ^ moved; });
      }
      row_terms_[static_cast<std::size_t>(row)] =
          static_cast<std::int64_t>(factor * sum_of_row(to));
    });
    AnyTypeMatrix rows;
    rows.type = Dtype::kInt8;
    rows.view = {.memory = digits.data(),
                 .npus = 1,
                 .c = row_bytes,
                 .h = row_bytes,
                 .w = 1,
                 .element_bytes = 1};
    left_ = Words<std::int32_t>(rows_panels_.left_words(args_.rows));
    std::vector<int> order(static_cast<std::size_t>(args_.rows));
    const int each = tiles_.shape().rows * kBlocksAtOnce;
    for_each_task((args_.rows + each - 1) / each, work, [&](std::int64_t task) {
      const int first = static_cast<int>(task) * each;
      rows_panels_.pack_left(rows, first, std::min(each, args_.rows - first), 0,
                             rows_panels_.block(left_.data(), first),
                             &order[static_cast<std::size_t>(first)]);
    });
  }

  // Of the numbers of a row of digits.
  std::uint64_t sum_of_row(const std::byte* digits) const {
    std::uint64_t sum = left_offset(args_.left.type) * static_cast<std::uint64_t>(args_.inner);
    for (int digit = 0; digit < left_digits_; ++digit) {
      const auto* words =
          reinterpret_cast<const std::int32_t*>(digits + std::ptrdiff_t{digit} * digit_bytes());
      sum += static_cast<std::uint64_t>(sum_bytes(words, tiles_.panels().steps(), true))
             << (8 * digit);
    }
    return sum;
  }

  // A panel for each digit.
  void pack_right(int first, int columns, std::int32_t* panel) const {
    const int digits = right_digits_;
    const int pitch = tiles_.panels().pitch(columns);
    const bool has_sign = dtype_info(args_.right.type).is_signed;
    auto* const buffer =
        thread_scratch<2, std::byte>(static_cast<std::size_t>(8 * digits) * kDigitColumns);
    std::byte* const split = buffer + std::ptrdiff_t{4} * digits * kDigitColumns;
    for (int step = 0; step < tiles_.panels().steps(); ++step) {
      const int rows = std::clamp(args_.inner - 4 * step, 0, 4);
      std::array<std::array<const std::byte*, 4>, kMostDigits> parts{};
      for (int i = 0; i < rows; ++i) {
        std::array<std::byte*, kMostDigits> to{};
        for (int digit = 0; digit < digits; ++digit) {
          const auto place = static_cast<std::size_t>(digit);
          to[place] = split + std::ptrdiff_t{i * digits + digit} * kDigitColumns;
          parts[place][static_cast<std::size_t>(i)] = to[place];
        }
        split_bytes(gathered(args_.right, 4 * step + i, first, columns, buffer), columns, digits,
                    to.data());
      }
      for (int digit = 0; digit < digits; ++digit) {
        const bool moved = has_sign && digit + 1 == digits;
        zip_bytes(parts[static_cast<std::size_t>(digit)], columns, moved ? 0x80808080U : 0,
                  panel + digit * digit_words(columns) + std::ptrdiff_t{step} * pitch);
      }
    }
  }

  // What sums of columns lack: the left offset times the sum of the digits.
  void column_terms(int columns, const std::int32_t* panel, std::int64_t* to) const {
    const std::uint64_t factor = left_offset(args_.left.type);
    std::fill_n(to, kDigitColumns, 0);
    std::int32_t digit_sums[kDigitColumns];
    for (int digit = 0; digit < right_digits_; ++digit) {
      tiles_.sum_columns(tiles_.right(panel + digit * digit_words(columns), columns), digit_sums);
      for (int i = 0; i < columns; ++i)
        to[i] = static_cast<std::int64_t>(
            static_cast<std::uint64_t>(to[i]) +
            ((factor * static_cast<std::uint64_t>(digit_sums[i])) << (8 * digit)));
    }
  }

  // The digits of the right operand that meet those of the left one from `lowest` on, for sum
  // number `sum`.
  RightPanel meeting(int sum, int lowest, int columns, const std::int32_t* panel) const {
    const std::vector<std::int32_t> steps = tiles_.right(panel, columns).offsets;
    RightPanel right{panel, columns, {}};
    for (int i = lowest; i <= std::min(sum, left_digits_ - 1); ++i) {
      const auto begin = static_cast<std::int32_t>((sum - i) * digit_words(columns));
      for (const std::int32_t step : steps) right.offsets.push_back(begin + step);
    }
    return right;
  }

  void multiply(int first, int columns, const std::int32_t* panel) const {
    const int block_rows = tiles_.shape().rows;
    const int stride = tiles_.panels().pitch(columns);
    const int whole = (columns + kWideColumns - 1) / kWideColumns * kWideColumns;
    alignas(64) std::int64_t terms[kDigitColumns];
    column_terms(columns, panel, terms);
    const std::ptrdiff_t sum_words = std::ptrdiff_t{block_rows} * stride;
    auto* const all = thread_scratch<1, std::int32_t>(static_cast<std::size_t>(sums() * sum_words));
    std::vector<int> lowest;
    std::vector<RightPanel> rights;
    for (int sum = 0; sum < sums(); ++sum) {
      lowest.push_back(std::max(0, sum - right_digits_ + 1));
      rights.push_back(meeting(sum, lowest.back(), columns, panel));
    }
    for (int row = 0; row < args_.rows; row += block_rows) {
      const int rows = std::min(block_rows, args_.rows - row);
      const std::int32_t* const block = rows_panels_.block(left_.data(), row);
      for (int sum = 0; sum < sums(); ++sum) {
        const auto k = static_cast<std::size_t>(sum);
        tiles_.run(block + lowest[k] * digit_block_words(rows), rows, rights[k],
                   all + sum * sum_words, stride);
      }
      for (int r = 0; r < rows; ++r) {
        std::array<const std::int32_t*, kMostDigitSums> of_row{};
        for (int sum = 0; sum < sums(); ++sum)
          of_row[static_cast<std::size_t>(sum)] =
              all + sum * sum_words + std::ptrdiff_t{r} * stride;
        alignas(64) std::int64_t results[kDigitColumns];
        add_digit_sums(of_row.data(), sums(),
                       row_terms_[static_cast<std::size_t>(row) + static_cast<std::size_t>(r)],
                       terms, whole, results);
        results_.store(row + r, 1, first, columns, whole, results);
      }
    }
  }

  // Words of one digit in a block of the left panel.
  std::ptrdiff_t digit_block_words(int rows) const {
    return static_cast<std::ptrdiff_t>(tiles_.panels().left_words(rows));
  }

  const AnyTypeMatmulArgs& args_;
  const int left_digits_, right_digits_;
  const ByteTiles tiles_;         // of one digit
  const BytePanels rows_panels_;  // of rows of all digits of the left operand
  const WideResults results_;
  Words<std::int32_t> left_;
  std::vector<std::int64_t> row_terms_;
};

bool is_right_stored_in_rows(const AnyTypeMatrix& right) {
  return !right.is_constant && !right.transposed && has_dense_rows(right.view);
}

}  // namespace

bool digit_matmul_simd(const AnyTypeMatmulArgs& args) {
  const std::int64_t in_one_sum = std::int64_t{args.inner} * std::min(dtype_bytes(args.left.type),
                                                                      dtype_bytes(args.right.type));
  if (!has_integer_quads() || args.rows <= kMostStreamedRows || args.output.transposed ||
      !(args.zero_points.is_constant && args.zero_points.bits == 0) ||
      !is_right_stored_in_rows(args.right) || in_one_sum > INT32_MAX / kLargestDigitProduct)
    return false;
  DigitProduct(args).run();
  return true;
}

}  // namespace tensorlane
