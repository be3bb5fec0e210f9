// Fast matrix product of integers of 16 bits with more than a few rows, where processors multiply
// pairs of 16 bits and have no sums of four products of bytes: twice as fast as fp64.
//
//   left  = 256 * l[1] + l[0] + left offset     l[1] with sign, l[0] a byte without
//   right = r + right offset                    r of 16 bits with sign
//
// Numbers without sign are moved by 32768; the offsets make up for that. Sums of l[i] * r are exact
// in 32 bits for kMostShortInner products.
#include <algorithm>
#include <array>
#include <vector>

#include "tensorlane/compute/bands/scratch.h"
#include "tensorlane/compute/bands/tasks.h"
#include "tensorlane/compute/bands/view_forms.h"
#include "tensorlane/compute/matrices/any_type_matmul.h"
#include "tensorlane/compute/matrices/matrix_words.h"
#include "tensorlane/compute/matrices/wide_results.h"
#include "tensorlane/compute/products/dense_words.h"
#include "tensorlane/compute/products/streamed_product.h"
#include "tensorlane/compute/tiles/integer_tile.h"
#include "tensorlane/compute/tiles/wide_tile.h"

namespace tensorlane {
namespace {

constexpr int kMostShortInner = INT32_MAX / (255 * 32768);
constexpr int kShortColumns = 256;  // of a panel at most
constexpr int kShortSlack = 16;     // steps do not compete for the same lines of a cache
constexpr int kShortPitch = kShortColumns + kShortSlack;
constexpr int kParts = 2;
constexpr std::int64_t kMoved = 32768;

std::int64_t offset_of(Dtype type) {
  return dtype_info(type).is_signed ? 0 : kMoved;
}

// Two of 16 bits as a word, the first in the low ones.
std::int32_t pair_of(std::int32_t low, std::int32_t high) {
  return static_cast<std::int32_t>((static_cast<std::uint32_t>(low) & 0xFFFFU) |
                                   static_cast<std::uint32_t>(high) << 16);
}

class ShortProduct {
 public:
  explicit ShortProduct(const AnyTypeMatmulArgs& args)
      : args_(args),
        shape_(integer_tile_shape()),
        steps_((args.inner + 1) / 2),
        ones_(static_cast<std::size_t>(steps_), 0x00010001),
        results_(args) {
    if (args.inner % 2 != 0) ones_.back() = 1;  // what fills up the last pair does not count
    for (int k = 0; k < steps_; ++k) offsets_.push_back(k * kShortPitch);
  }

  void run() {
    pack_left();
    const std::int64_t work = std::int64_t{args_.rows} * args_.inner * args_.cols;
    for_each_task((args_.cols + kShortColumns - 1) / kShortColumns, work, [&](std::int64_t i) {
      const int first = static_cast<int>(i) * kShortColumns;
      const int columns = std::min(kShortColumns, args_.cols - first);
      auto* const panel = thread_scratch<0, std::int32_t>(panel_words());
      pack_right(first, columns, panel);
      multiply(first, columns, panel);
    });
  }

 private:
  std::size_t panel_words() const { return static_cast<std::size_t>(steps_) * kShortPitch; }

  // Of each part and block of rows: [step][row].
  void pack_left() {
    const auto words = read_matrix<std::int32_t>(args_.left, args_.rows, args_.inner);
    const std::int64_t moved = offset_of(args_.left.type), right = offset_of(args_.right.type);
    const auto count = static_cast<std::size_t>(args_.rows) * steps_;
    for (Words<std::int32_t>& part : left_) part = Words<std::int32_t>(count);
    row_terms_.resize(static_cast<std::size_t>(args_.rows));
    const int blocks = (args_.rows + shape_.rows - 1) / shape_.rows;
    const auto work = layout_work(static_cast<std::int64_t>(words.size()));
    for_each_task(blocks, work, [&](std::int64_t block) {
      const int first = static_cast<int>(block) * shape_.rows;
      const int rows = std::min(shape_.rows, args_.rows - first);
      for (int r = 0; r < rows; ++r) {
        const std::int32_t* const from = words.data() + std::int64_t{first + r} * args_.inner;
        std::int64_t sum = 0;
        const auto number = [&](int k) {
          if (k >= args_.inner) return std::int32_t{0};
          sum += from[k];
          return from[k] - static_cast<std::int32_t>(moved);
        };
        for (int step = 0; step < steps_; ++step) {
          const std::int32_t low = number(2 * step), high = number(2 * step + 1);
          const std::int64_t at = std::int64_t{first} * steps_ + std::int64_t{step} * rows + r;
          left_[0].data()[at] = pair_of(low & 0xFF, high & 0xFF);
          left_[1].data()[at] = pair_of(low >> 8, high >> 8);
        }
        row_terms_[static_cast<std::size_t>(first) + static_cast<std::size_t>(r)] = right * sum;
      }
    });
  }

  // [step][column]
  void pack_right(int first, int columns, std::int32_t* panel) const {
    const std::uint32_t flip = dtype_info(args_.right.type).is_signed ? 0 : 0x80008000U;
    auto* const buffer = thread_scratch<2, std::byte>(std::size_t{4} * kShortColumns);
    for (int step = 0; step < steps_; ++step) {
      std::int32_t* const to = panel + std::ptrdiff_t{step} * kShortPitch;
      const int row = 2 * step;
      const std::byte* const low = gathered(args_.right, row, first, columns, buffer);
      const std::byte* const high = row + 1 == args_.inner
                                        ? nullptr
                                        : gathered(args_.right, row + 1, first, columns,
                                                   buffer + std::ptrdiff_t{2} * kShortColumns);
      zip_short_integers(low, high, args_.right.type, columns, to);
      for (int i = 0; i < columns; ++i) to[i] ^= static_cast<std::int32_t>(flip);
      std::fill_n(to + columns, kShortPitch - columns, 0);
    }
  }

  // Sums of a tile's rows and columns; rows are kShortPitch apart.
  void run_tile(const std::int32_t* weights, int rows, int column, int columns,
                const std::int32_t* panel, std::int32_t* sums) const {
    run_integer_tile({.rows = rows,
                      .positions = columns,
                      .inputs = panel + column,
                      .weights = weights,
                      .offsets = offsets_.data(),
                      .length = steps_,
                      .sums = sums + column,
                      .stride = kShortPitch});
  }

  void multiply(int first, int columns, const std::int32_t* panel) const {
    const int whole = (columns + kWideColumns - 1) / kWideColumns * kWideColumns;
    const std::ptrdiff_t part_words = std::ptrdiff_t{shape_.rows} * kShortPitch;
    auto* const sums =
        thread_scratch<1, std::int32_t>(static_cast<std::size_t>(kParts * part_words));
    alignas(64) std::int64_t terms[kShortColumns];
    column_terms(whole, panel, sums, terms);
    for (int row = 0; row < args_.rows; row += shape_.rows) {
      const int rows = std::min(shape_.rows, args_.rows - row);
      for (int part = 0; part < kParts; ++part) {
        const std::int32_t* const weights = left_[part].data() + std::int64_t{row} * steps_;
        for (int at = 0; at < columns; at += shape_.width)
          run_tile(weights, rows, at, std::min(shape_.width, columns - at), panel,
                   sums + part * part_words);
      }
      for (int r = 0; r < rows; ++r) {
        const std::int32_t* const low = sums + std::ptrdiff_t{r} * kShortPitch;
        const std::array<const std::int32_t*, kParts> of_row{low, low + part_words};
        alignas(64) std::int64_t results[kShortColumns];
        add_digit_sums(of_row.data(), kParts,
                       row_terms_[static_cast<std::size_t>(row) + static_cast<std::size_t>(r)],
                       terms, whole, results);
        results_.store(row + r, first, columns, whole, results);
      }
    }
  }

  // What sums of columns lack: the left offset times the sum of what was multiplied.
  void column_terms(int columns, const std::int32_t* panel, std::int32_t* sums,
                    std::int64_t* to) const {
    const std::int64_t moved = offset_of(args_.left.type);
    std::fill_n(to, columns, 0);
    if (moved == 0) return;
    run_integer_row({.rows = 1,
                     .positions = columns,
                     .inputs = panel,
                     .weights = ones_.data(),
                     .offsets = offsets_.data(),
                     .length = steps_,
                     .sums = sums,
                     .stride = kShortPitch});
    for (int i = 0; i < columns; ++i) to[i] = moved * sums[i];
  }

  const AnyTypeMatmulArgs& args_;
  const TileShape shape_;
  const int steps_;  // of pairs
  std::vector<std::int32_t> ones_;
  const WideResults results_;
  std::vector<std::int32_t> offsets_;  // of the steps in a panel
  std::array<Words<std::int32_t>, kParts> left_;
  std::vector<std::int64_t> row_terms_;
};

}  // namespace

bool short_matmul_simd(const AnyTypeMatmulArgs& args) {
  const AnyTypeMatrix& right = args.right;
  if (has_integer_quads() || dtype_bytes(args.left.type) != 2 || dtype_bytes(right.type) != 2 ||
      args.rows <= kMostStreamedRows || args.inner > kMostShortInner || args.output.transposed ||
      !(args.zero_points.is_constant && args.zero_points.bits == 0) || right.is_constant ||
      right.transposed || !has_dense_rows(right.view))
    return false;
  ShortProduct(args).run();
  return true;
}

}  // namespace tensorlane
