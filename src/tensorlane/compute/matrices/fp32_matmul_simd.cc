// Fast matrix product: packed panels feed chain tiles.
//
// Positions of a tile are columns of the right matrix. A task takes some column tiles and a group
// of row blocks: it packs the columns of a tile into a panel, one row of `width` columns after the
// other, and runs the row blocks of the left matrix, packed once for all tasks, over it.
#include <algorithm>
#include <vector>

#include "tensorlane/compute/bands/kept_words.h"
#include "tensorlane/compute/bands/padded_rows.h"
#include "tensorlane/compute/bands/scratch.h"
#include "tensorlane/compute/bands/tasks.h"
#include "tensorlane/compute/bands/view_forms.h"
#include "tensorlane/compute/matrices/fp32_matmul.h"
#include "tensorlane/compute/tiles/chain_tile.h"

namespace tensorlane {
namespace {

// Calls visit(first column, count, channel, first column inside the channel) for the channels that
// columns [begin, end) of a matrix touch.
template <class Visit>
void for_each_channel(int begin, int end, int cols_per_channel, Visit visit) {
  while (begin < end) {
    const int inside = begin % cols_per_channel;
    const int count = std::min(end - begin, cols_per_channel - inside);
    visit(begin, count, begin / cols_per_channel, inside);
    begin += count;
  }
}

class FastMatmul {
 public:
  explicit FastMatmul(const MatmulArgs& args)
      : args_(args),
        tile_(chain_tile_shape()),
        blocks_((args.left_rows + tile_.rows - 1) / tile_.rows),
        work_(static_cast<std::int64_t>(args.left_rows) * args.left_cols * args.right_cols) {
    for (int k = 0; k < args_.left_cols; ++k) offsets_[k % 2].push_back(k * tile_.width);
  }

  void run() {
    pack_left();
    const int tiles = (args_.right_cols + tile_.width - 1) / tile_.width;
    // Splitting the rows packs each panel again: only to occupy idle threads.
    const int groups = std::clamp(thread_count(work_) / tiles, 1, blocks_);
    for_each_task(static_cast<std::int64_t>(tiles) * groups, work_, [&](std::int64_t i) {
      const int group = static_cast<int>(i % groups);
      run_column_tile(static_cast<int>(i / groups) * tile_.width, blocks_ * group / groups,
                      blocks_ * (group + 1) / groups);
    });
  }

 private:
  int rows_of(int block) const {
    return std::min(tile_.rows, args_.left_rows - block * tile_.rows);
  }

  // Per block of rows: the even columns, then the odd ones, each as [column][row of the block].
  void pack_left() {
    packed_ = Words<float>(static_cast<std::size_t>(args_.left_rows) * args_.left_cols);
    const std::int64_t work = static_cast<std::int64_t>(args_.left_rows) * args_.left_cols;
    for_each_task(blocks_, layout_work(work),
                  [&](std::int64_t block) { pack_block(static_cast<int>(block)); });
  }

  void pack_block(int block) {
    const int rows = rows_of(block);
    const int first = block * tile_.rows;
    float* even = packed_.data() + static_cast<std::int64_t>(first) * args_.left_cols;
    float* odd = even + static_cast<std::int64_t>(rows) * ((args_.left_cols + 1) / 2);
    for_each_channel(0, args_.left_cols, args_.left_cols_per_channel,
                     [&](int k, int count, int channel, int) {
                       const float* from = args_.left.at(first, channel, 0, 0);
                       for (int i = 0; i < count; ++i, ++k) {
                         float*& to = k % 2 == 0 ? even : odd;
                         for (int r = 0; r < rows; ++r) *to++ = from[r * args_.left.n + i];
                       }
                     });
  }

  void run_column_tile(int first_column, int first_block, int end_block) const {
    const int columns = std::min(tile_.width, args_.right_cols - first_column);
    float* panel = thread_scratch<0>(static_cast<std::size_t>(args_.left_cols) * tile_.width);
    pack_panel(first_column, columns, panel);
    for (int block = first_block; block < end_block; ++block) {
      run_tile(block, first_column, columns, panel);
    }
  }

  void pack_panel(int first_column, int columns, float* panel) const {
    for_each_channel(
        first_column, first_column + columns, args_.right_cols_per_channel,
        [&](int column, int count, int channel, int inside) {
          std::byte* const to = reinterpret_cast<std::byte*>(panel + (column - first_column));
          store_rows(WordRows<float>{.from = args_.right.at(0, channel, 0, inside),
                                     .pitch = args_.right.n,
                                     .rows = args_.left_cols,
                                     .columns = count,
                                     .to = {&to, 1},
                                     .row_bytes = tile_.width * std::int64_t{sizeof(float)}});
        });
    if (columns == tile_.width) return;
    for (int k = 0; k < args_.left_cols; ++k) {  // a tile reads whole vectors
      std::fill_n(panel + static_cast<std::int64_t>(k) * tile_.width + columns,
                  tile_.width - columns, 0.0F);
    }
  }

  void run_tile(int block, int first_column, int columns, const float* panel) const {
    const int rows = rows_of(block);
    const float* left =
        packed_.data() + static_cast<std::int64_t>(block) * tile_.rows * args_.left_cols;
    alignas(64) float sums[kMaxTileWords];
    if (args_.left_cols == 1) {  // the product itself: a sum that starts at +0 would lose a -0
      for (int r = 0; r < rows; ++r) {
        for (int i = 0; i < columns; ++i) sums[r * tile_.width + i] = left[r] * panel[i];
      }
    } else {
      ChainTile tile{rows, columns, panel, 2};
      for (int parity = 0; parity < 2; ++parity) {
        const int length = static_cast<int>(offsets_[parity].size());
        tile.chains[parity] = {left, offsets_[parity].data(), length};
        left += static_cast<std::int64_t>(length) * rows;
      }
      tile.sums = sums;
      run_chain_tile(tile);
    }
    store(block * tile_.rows, rows, first_column, columns, sums);
  }

  void store(int first_row, int rows, int first_column, int columns, float* sums) const {
    for_each_channel(
        first_column, first_column + columns, args_.right_cols_per_channel,
        [&](int column, int count, int channel, int inside) {
          float* const from = sums + (column - first_column);
          float* const to = args_.output.at(first_row, channel, 0, inside);
          if (args_.using_bias) {
            const float* bias = args_.bias.at(0, channel, 0, inside);
            for (int r = 0; r < rows; ++r) {
              for (int i = 0; i < count; ++i) from[r * tile_.width + i] += bias[i];
            }
          }
          if (args_.result_add) {
            for (int r = 0; r < rows; ++r) {
              for (int i = 0; i < count; ++i)
                from[r * tile_.width + i] += to[r * args_.output.n + i];
            }
          }
          std::byte* const first = reinterpret_cast<std::byte*>(to);
          store_rows(WordRows<float>{.from = from,
                                     .pitch = tile_.width,
                                     .rows = rows,
                                     .columns = count,
                                     .to = {&first, 1},
                                     .row_bytes = args_.output.n * std::int64_t{sizeof(float)}});
        });
  }

  const MatmulArgs& args_;
  const TileShape tile_;
  const int blocks_;
  const std::int64_t work_;
  std::vector<std::int32_t> offsets_[2];
  Words<float> packed_;
};

}  // namespace

bool matmul_simd(const MatmulArgs& args) {
  for (const LocalView* view : {&args.left, &args.right, &args.output}) {
    if (!has_dense_rows(*view)) return false;
  }
  if (args.using_bias && !has_dense_rows(args.bias)) return false;
  FastMatmul(args).run();
  return true;
}

}  // namespace tensorlane
