// Fast matrix product of integers of at most 16 bits whose sums leave 32: as pairs of 16 bits.
//
// Two rows of the right operand are pairs of 16 bits with sign: numbers without are moved by 2^15,
// which a term per row makes up for. A left operand of 16 bits that meets one of 16 bits is two
// digits, left = l[0] + 256 * l[1], so that 2^8 products fit a sum of 32 bits; longer sums are
// added up in 64 bits part by part.
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "tensorlane/compute/bands/scratch.h"
#include "tensorlane/compute/bands/tasks.h"
#include "tensorlane/compute/bands/view_forms.h"
#include "tensorlane/compute/matrices/any_type_matmul.h"
#include "tensorlane/compute/matrices/matrix_words.h"
#include "tensorlane/compute/matrices/wide_results.h"
#include "tensorlane/compute/products/dense_words.h"
#include "tensorlane/compute/tiles/integer_tile_kinds.h"
#include "tensorlane/compute/tiles/wide_tile.h"

namespace tensorlane {
namespace {

constexpr int kMostShortDigits = 2;
// Pairs of products of at most 2^23 that one sum holds.
constexpr int kStepsOfSum = 127;
// A panel stays in the second-level cache.
constexpr int kShortPanelWords = 64 * 1024;
constexpr int kShortColumns = 256;  // of a panel at most
constexpr std::int64_t kMoved = 1 << 15;

class ShortProduct {
 public:
  explicit ShortProduct(const AnyTypeMatmulArgs& args)
      : args_(args),
        kind_(integer_tiles_for(IntegerFactors::kPairs, args.rows)),
        shape_(kind_.shape()),
        digits_(digits_of(args)),
        steps_((args.inner + 1) / 2),
        moves_(args.right.type == Dtype::kUint16),
        results_(args) {}

  void run() {
    pack_left();
    const int most = kShortPanelWords / std::max(steps_, 1) / kWideColumns * kWideColumns;
    const int each = std::clamp(most, kWideColumns, kShortColumns);
    const std::int64_t work = std::int64_t{args_.rows} * args_.inner * args_.cols;
    for_each_task((args_.cols + each - 1) / each, work, [&](std::int64_t i) {
      const InTileScope scope(kind_.scope());
      const int first = static_cast<int>(i) * each;
      const int columns = std::min(each, args_.cols - first);
      auto* const panel =
          thread_scratch<0, std::int32_t>(static_cast<std::size_t>(steps_) * pitch(columns));
      pack_right(first, columns, panel);
      multiply(first, columns, panel);
    });
  }

 private:
  // One where every product of a digit of 16 bits is below 2^23.
  static int digits_of(const AnyTypeMatmulArgs& args) {
    const bool fits = dtype_bytes(args.left.type) == 1 ||
                      (args.left.type == Dtype::kInt16 && dtype_bytes(args.right.type) == 1);
    return fits ? 1 : kMostShortDigits;
  }
  // Words from one step to the next: sums are stored, and inputs read, in whole vectors.
  int pitch(int columns) const {
    return (columns + kWideColumns - 1) / kWideColumns * kWideColumns + shape_.width;
  }

  // Of each block of rows and each digit: [step][row] pairs.
  void pack_left() {
    const auto words = read_matrix<std::int32_t>(args_.left, args_.rows, args_.inner);
    left_ = Words<std::int32_t>(static_cast<std::size_t>(args_.rows) * digits_ * steps_);
    row_terms_.resize(static_cast<std::size_t>(args_.rows));
    const std::int64_t work = layout_work(static_cast<std::int64_t>(left_.size()));
    for_each_task((args_.rows + shape_.rows - 1) / shape_.rows, work, [&](std::int64_t block) {
      const int first = static_cast<int>(block) * shape_.rows;
      const int count = std::min(shape_.rows, args_.rows - first);
      pack_block(words.data() + std::int64_t{first} * args_.inner, count,
                 left_.data() + std::int64_t{first} * digits_ * steps_);
      for (int row = first; moves_ && row < first + count; ++row) {
        const std::int32_t* const from = words.data() + std::int64_t{row} * args_.inner;
        row_terms_[static_cast<std::size_t>(row)] =
            kMoved * std::accumulate(from, from + args_.inner, std::int64_t{0});
      }
    });
  }
  void pack_block(const std::int32_t* words, int rows, std::int32_t* to) const {
    for (int digit = 0; digit < digits_; ++digit) {
      for (int k = 0; k < args_.inner; k += 2) {
        for (int r = 0; r < rows; ++r) {
          const std::int32_t* const from = words + std::int64_t{r} * args_.inner + k;
          const std::uint32_t second = k + 1 < args_.inner ? digit_of(from[1], digit) : 0;
          *to++ = static_cast<std::int32_t>(digit_of(from[0], digit) | second << 16);
        }
      }
    }
  }
  std::uint32_t digit_of(std::int32_t value, int digit) const {
    if (digits_ == 1) return static_cast<std::uint16_t>(value);
    return digit == 0 ? static_cast<std::uint8_t>(value) : static_cast<std::uint16_t>(value >> 8);
  }

  void pack_right(int first, int columns, std::int32_t* panel) const {
    const auto bytes = static_cast<std::size_t>(columns) * dtype_bytes(args_.right.type);
    auto* const buffer = thread_scratch<2, std::byte>(2 * bytes);
    for (int step = 0; step < steps_; ++step) {
      const int row = 2 * step;
      std::int32_t* const to = panel + std::ptrdiff_t{step} * pitch(columns);
      const std::byte* const low = gathered(args_.right, row, first, columns, buffer);
      const std::byte* const high =
          row + 1 < args_.inner ? gathered(args_.right, row + 1, first, columns, buffer + bytes)
                                : nullptr;
      zip_short_integers(low, high, args_.right.type, columns, to);
      fetch_next(row, first + columns, columns);
      if (moves_)
        std::transform(to, to + columns, to, [](std::int32_t word) {
          return static_cast<std::int32_t>(static_cast<std::uint32_t>(word) ^ 0x80008000U);
        });
      std::fill(to + columns, to + pitch(columns), 0);
    }
  }

  // Two rows of as many columns behind these, for the next panel.
  void fetch_next(int row, int first, int columns) const {
    const int count = std::min(columns, args_.cols - first);
    for (int k = row; count > 0 && k < std::min(row + 2, args_.inner); ++k)
      fetch_ahead(args_.right, k, first, count);
  }

  void multiply(int first, int columns, const std::int32_t* panel) const {
    const int stride = pitch(columns);
    const int whole = stride - shape_.width;
    const std::ptrdiff_t sum_words = std::ptrdiff_t{shape_.rows} * stride;
    auto* const sums =
        thread_scratch<1, std::int32_t>(static_cast<std::size_t>(kMostShortDigits * sum_words));
    std::vector<std::int32_t> offsets(static_cast<std::size_t>(steps_));
    for (std::size_t step = 0; step < offsets.size(); ++step)
      offsets[step] = static_cast<std::int32_t>(step) * stride;
    auto* const totals =
        thread_scratch<0, std::int64_t>(static_cast<std::size_t>(shape_.rows) * whole);
    const std::int32_t* left = left_.data();
    for (int row = 0; row < args_.rows; row += shape_.rows) {
      const int rows = std::min(shape_.rows, args_.rows - row);
      const std::ptrdiff_t digit_words = std::ptrdiff_t{steps_} * rows;
      std::fill_n(totals, static_cast<std::size_t>(rows) * whole, 0);
      for (int step = 0; step < steps_; step += kStepsOfSum) {
        const int length = std::min(kStepsOfSum, steps_ - step);
        for (int digit = 0; digit < digits_; ++digit) {
          run_tiles({.rows = rows,
                     .inputs = panel,
                     .weights = left + digit * digit_words + std::ptrdiff_t{step} * rows,
                     .offsets = offsets.data() + step,
                     .length = length,
                     .sums = sums + digit * sum_words,
                     .stride = stride},
                    columns);
        }
        for (int r = 0; r < rows; ++r) {
          std::array<const std::int32_t*, kMostShortDigits> of_row{};
          for (std::size_t digit = 0; digit < of_row.size(); ++digit)
            of_row[digit] =
                sums + static_cast<std::ptrdiff_t>(digit) * sum_words + std::ptrdiff_t{r} * stride;
          std::int64_t* const total = totals + std::ptrdiff_t{r} * whole;
          const std::int64_t term =
              step == 0 ? row_terms_[static_cast<std::size_t>(row) + static_cast<std::size_t>(r)]
                        : 0;
          add_digit_sums(of_row.data(), digits_, term, total, whole, total);
        }
      }
      for (int r = 0; r < rows; ++r)
        results_.store(row + r, 1, first, columns, whole, totals + std::ptrdiff_t{r} * whole);
      left += digits_ * digit_words;
    }
  }

  void run_tiles(IntegerTile tile, int columns) const {
    const std::int32_t* const inputs = tile.inputs;
    std::int32_t* const sums = tile.sums;
    for (int at = 0; at < columns; at += shape_.width) {
      tile.positions = std::min(shape_.width, columns - at);
      tile.inputs = inputs + at;
      tile.sums = sums + at;
      kind_.run(tile);
    }
  }

  const AnyTypeMatmulArgs& args_;
  const IntegerTileKind& kind_;
  const TileShape shape_;
  const int digits_, steps_;
  const bool moves_;  // the right operand by -2^15
  const WideResults results_;
  Words<std::int32_t> left_;
  std::vector<std::int64_t> row_terms_;
};

}  // namespace

bool short_matmul_simd(const AnyTypeMatmulArgs& args) {
  if (args.output.transposed || args.inner == 0 ||
      std::max(dtype_bytes(args.left.type), dtype_bytes(args.right.type)) > 2 ||
      !(args.zero_points.is_constant && args.zero_points.bits == 0) || args.right.is_constant ||
      args.right.transposed || !has_dense_rows(args.right.view))
    return false;
  ShortProduct(args).run();
  return true;
}

}  // namespace tensorlane
