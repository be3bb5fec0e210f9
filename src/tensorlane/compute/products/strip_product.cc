#include "tensorlane/compute/products/strip_product.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "tensorlane/compute/bands/scratch.h"
#include "tensorlane/compute/bands/tasks.h"
#include "tensorlane/compute/products/dense_words.h"
#include "tensorlane/compute/products/shared_logs.h"
#include "tensorlane/compute/tiles/block_tile.h"
#include "tensorlane/compute/tiles/chain_tile.h"

namespace tensorlane {
namespace {

// Floats of all panels of a strip: with their logarithms most of a second-level cache.
constexpr std::int64_t kStripFloats = 128 * 1024;
constexpr int kMostColumns = 256;
// 512 MiB, which only operands that repeat themselves exceed.
constexpr std::int64_t kMostWeights = 1LL << 27;
// Strips for each thread, so that none waits long for the last one.
constexpr int kStripsPerThread = 4;
constexpr int kLeastGroupRows = 256;
constexpr int kUsualRows = 4;  // of a tile
// Where the right matrix is so small and the left one so large, rows are laid out and multiplied
// group by group: they stay in the second-level cache between the two.
constexpr std::int64_t kMostFewFloats = 16 * 1024;
constexpr std::int64_t kGroupFloats = 32 * 1024;

class Strips {
 public:
  Strips(const FloatProduct& product, const FloatSink& sink)
      : product_(product),
        sink_(sink),
        chains_(product.rule == ProductRule::kFp32Chains),
        shape_(chains_ ? chain_tile_shape() : block_tile_shape()),
        steps_(static_cast<int>(product.operands.steps.size())),
        rows_(product.operands.frame.rows),
        columns_(product.operands.frame.w),
        blocks_((rows_ + shape_.rows - 1) / shape_.rows),
        work_(std::int64_t{rows_} * columns_ * steps_) {
    for (int chain = 0; chain < (chains_ ? 2 : 1); ++chain) {
      for (int k = chain; k < steps_; k += chains_ ? 2 : 1) {
        order_.push_back(k);
        offsets_.push_back(k * shape_.width);
        if (!chains_ && product.operands.steps[static_cast<std::size_t>(k)].ends_block)
          ends_.push_back(k + 1);
      }
    }
  }

  void run() { goes_by_groups() ? run_by_groups() : run_by_strips(); }

 private:
  // Weights of rows as tiles take them, and what is known of them.
  struct PackedRows {
    int first;  // row
    const float* weights;
    const SharedLogs* logs;  // null: none
  };

  std::int64_t panel_floats() const { return std::int64_t{steps_} * shape_.width; }
  int rows_of(int block) const { return std::min(shape_.rows, rows_ - block * shape_.rows); }
  int tiles_of(int columns) const { return (columns + shape_.width - 1) / shape_.width; }

  bool goes_by_groups() const {
    return product_.read_rows && tiles_of(columns_) * panel_floats() <= kMostFewFloats &&
           std::int64_t{rows_} * steps_ > 2 * kGroupFloats;
  }

  void run_by_groups() const {
    const int tiles = tiles_of(columns_);
    Words<float> panels(static_cast<std::size_t>(tiles * panel_floats()));
    read_strip(0, columns_, tiles, panels.data());
    const int most = static_cast<int>(kGroupFloats / (std::int64_t{shape_.rows} * steps_));
    const auto groups = static_cast<int>(even_parts(blocks_ / std::max(most, 1) + 1, work_));
    for_each_task(groups, work_, [&](std::int64_t i) {
      const auto begin = static_cast<int>(blocks_ * i / groups);
      const auto end = static_cast<int>(blocks_ * (i + 1) / groups);
      const int first = begin * shape_.rows, rows = std::min(end * shape_.rows, rows_) - first;
      if (rows <= 0) return;
      float* const weights = thread_scratch<5>(static_cast<std::size_t>(rows) * steps_);
      for (int block = begin; block < end; ++block)
        pack_block(block, weights + std::int64_t{block - begin} * shape_.rows * steps_);
      std::optional<SharedLogs> logs;
      if (!chains_) logs.emplace(weights, rows, steps_, SharedLogs::Threads::kOne);
      multiply({first, weights, logs ? &*logs : nullptr}, 0, columns_, panels.data(), begin, end);
    });
  }

  void run_by_strips() {
    pack_weights();
    if (!chains_) logs_.emplace(weights_.data(), rows_, steps_);
    const int each = strip_columns();
    const int strips = (columns_ + each - 1) / each;
    const int groups = row_groups(strips);
    for_each_task(std::int64_t{strips} * groups, work_, [&](std::int64_t i) {
      const auto group = static_cast<int>(i % groups);
      const int first = static_cast<int>(i / groups) * each;
      run_strip(first, std::min(each, columns_ - first), blocks_ * group / groups,
                blocks_ * (group + 1) / groups);
    });
  }

  // Whole tiles.
  int strip_columns() const {
    const int threads = thread_count(work_);
    const std::int64_t even = threads == 1 ? columns_ : columns_ / (threads * kStripsPerThread);
    const std::int64_t most =
        std::min({std::int64_t{kMostColumns}, kStripFloats / std::max(steps_, 1), even});
    return static_cast<int>(std::max<std::int64_t>(most / shape_.width, 1)) * shape_.width;
  }

  // Where there are few strips, each is read for several groups of rows, so many that reading
  // costs little.
  int row_groups(int strips) const {
    const int threads = thread_count(work_);
    if (threads == 1 || strips >= threads * kStripsPerThread) return 1;
    const int wanted = (threads * kStripsPerThread + strips - 1) / strips;
    return std::clamp(wanted, 1, std::max(rows_ / kLeastGroupRows, 1));
  }

  // Per block of rows: [step][row], the steps as tiles take them.
  void pack_weights() {
    weights_ = Words<float>(static_cast<std::size_t>(rows_) * steps_);
    for_each_task(blocks_, work_, [&](std::int64_t block) {
      pack_block(static_cast<int>(block), weights_.data() + block * shape_.rows * steps_);
    });
  }

  void pack_block(int block, float* to) const {
    const int rows = rows_of(block);
    if (!chains_ && rows == kUsualRows && product_.read_four_rows)
      return product_.read_four_rows(block * shape_.rows, to);
    const float* const from = weights_of(block * shape_.rows, rows);
    if (!chains_ && rows == kUsualRows) return interleave(from, to);
    for (const int k : order_) {
      for (int r = 0; r < rows; ++r) *to++ = from[std::int64_t{r} * steps_ + k];
    }
  }

  // Of rows [first, first + rows): [row][step].
  const float* weights_of(int first, int rows) const {
    if (!product_.read_rows) return product_.operands.weights + std::int64_t{first} * steps_;
    float* const scratch = thread_scratch<2>(static_cast<std::size_t>(rows) * steps_);
    product_.read_rows(first, rows, scratch);
    return scratch;
  }

  // The steps of four rows as they come: a loop that compilers vectorise.
  void interleave(const float* from, float* to) const {
    const float *const a = from, *const b = a + steps_, *const c = b + steps_,
                       *const d = c + steps_;
    for (int k = 0; k < steps_; ++k, to += kUsualRows) {
      to[0] = a[k];
      to[1] = b[k];
      to[2] = c[k];
      to[3] = d[k];
    }
  }

  void run_strip(int first, int columns, int first_block, int end_block) const {
    const int tiles = tiles_of(columns);
    float* const panels = thread_scratch<0>(static_cast<std::size_t>(tiles * panel_floats()));
    read_strip(first, columns, tiles, panels);
    multiply({0, weights_.data(), logs_ ? &*logs_ : nullptr}, first, columns, panels, first_block,
             end_block);
  }

  // Blocks [first_block, end_block) of rows by the columns of these panels.
  void multiply(const PackedRows& rows, int first, int columns, const float* panels,
                int first_block, int end_block) const {
    const int tiles = tiles_of(columns);
    const std::vector<SharedLogs::Inputs> logs = logs_of(rows.logs, columns, tiles, panels);
    const int pitch = tiles * shape_.width;
    float* const block_sums = thread_scratch<3>(static_cast<std::size_t>(shape_.rows) * pitch);
    for (int block = first_block; block < end_block; ++block) {
      for (int tile = 0; tile < tiles; ++tile) {
        const int at = tile * shape_.width;
        run_tile(rows, block, first + at, std::min(shape_.width, columns - at),
                 panels + tile * panel_floats(), logs[static_cast<std::size_t>(tile)],
                 {block_sums + at, pitch});
      }
      for (int r = 0; r < rows_of(block); ++r)
        sink_.finish({0, block * shape_.rows + r, first, columns}, block_sums + r * pitch);
    }
  }

  // Where the sums of a tile go: those of a block of rows, which leave a strip row by row.
  struct BlockSums {
    float* first;
    int pitch;
  };

  // Of each tile, in memory of this thread.
  std::vector<SharedLogs::Inputs> logs_of(const SharedLogs* of, int columns, int tiles,
                                          const float* panels) const {
    std::vector<SharedLogs::Inputs> inputs(static_cast<std::size_t>(tiles));
    if (of == nullptr) return inputs;
    auto* const logs = thread_scratch<0, std::int16_t>(inputs.size() * of->words());
    for (int tile = 0; tile < tiles; ++tile) {
      const auto i = static_cast<std::size_t>(tile);
      inputs[i] = of->of_inputs(panels + tile * panel_floats(), offsets_.data(),
                                std::min(shape_.width, columns - tile * shape_.width),
                                logs + i * of->words());
    }
    return inputs;
  }

  void read_strip(int first, int columns, int tiles, float* panels) const {
    const int width = shape_.width;
    if (product_.read_columns) {
      for (int at = 0; at < columns; at += width, panels += panel_floats())
        product_.read_columns(first + at, std::min(width, columns - at), width, panels);
      return;
    }
    float* const row = thread_scratch<1>(static_cast<std::size_t>(tiles) * width);
    std::fill_n(row, tiles * width, 0.0F);  // tiles read whole vectors
    for (int k = 0; k < steps_; ++k) {
      const int channel = product_.operands.steps[static_cast<std::size_t>(k)].channel;
      product_.operands.read({0, channel, 0, 1, first, columns}, row);
      for (int tile = 0; tile < tiles; ++tile)
        std::copy_n(row + tile * width, width,
                    panels + tile * panel_floats() + std::int64_t{k} * width);
    }
  }

  void run_tile(const PackedRows& packed, int block, int column, int columns, const float* panel,
                const SharedLogs::Inputs& logs, const BlockSums& to) const {
    alignas(64) float sums[kMaxTileWords];
    alignas(64) float starts[2][kMaxTileWords];
    const float* used[2] = {};
    const int rows = rows_of(block), first_row = block * shape_.rows;
    const auto run_of = [&](int r) { return OutputRun{0, first_row + r, column, columns}; };
    if (sink_.has_starts()) {
      for (int i = 0; i < 2; ++i) {
        std::fill_n(starts[i], shape_.rows * shape_.width, 0.0F);
        used[i] = starts[i];
      }
      for (int r = 0; r < rows; ++r)
        sink_.start(run_of(r), starts[0] + r * shape_.width, starts[1] + r * shape_.width);
    }
    const int place = first_row - packed.first;
    const float* const weights = packed.weights + std::int64_t{place} * steps_;
    if (chains_) {
      const int even = (steps_ + 1) / 2;
      run_chain_tile(
          {.rows = rows,
           .positions = columns,
           .inputs = panel,
           .chain_count = 2,
           .chains = {{weights, offsets_.data(), even},
                      {weights + std::int64_t{even} * rows, offsets_.data() + even, steps_ - even}},
           .starts = {used[0], used[1]},
           .sums = sums});
    } else {
      packed.logs->run({rows, columns, panel, weights, offsets_.data(), ends_.data(),
                        static_cast<int>(ends_.size()), product_.specials(), used[0], sums},
                       place, logs);
    }
    for (int r = 0; r < rows; ++r)
      std::copy_n(sums + r * shape_.width, columns, to.first + r * to.pitch);
  }

  const FloatProduct& product_;
  const FloatSink& sink_;
  const bool chains_;
  const TileShape shape_;
  const int steps_, rows_, columns_;
  const int blocks_;  // of rows
  const std::int64_t work_;
  std::vector<int> order_;             // of steps, as tiles take them: chain by chain
  std::vector<std::int32_t> offsets_;  // of each of them in a panel
  std::vector<std::int32_t> ends_;     // of blocks of steps
  Words<float> weights_;
  std::optional<SharedLogs> logs_;
};

}  // namespace

bool strip_product(const FloatProduct& product, const FloatSink& sink) {
  const auto steps = static_cast<std::int64_t>(product.operands.steps.size());
  if (product.operands.frame.rows * steps > kMostWeights) return false;
  Strips(product, sink).run();
  return true;
}

}  // namespace tensorlane
