#include "tensorlane/compute/products/streamed_product.h"

#include <algorithm>
#include <cstring>

#include "tensorlane/compute/bands/scratch.h"
#include "tensorlane/compute/bands/tasks.h"
#include "tensorlane/compute/tiles/block_tile.h"
#include "tensorlane/compute/tiles/integer_tile.h"

namespace tensorlane {
namespace {

// Columns of a task: long reads, while the inputs of a group and all sums stay in the caches.
constexpr int kStripColumns = 1024;
// Steps of a group of integers; a group of floats is a block.
constexpr int kIntegerGroup = 16;
// From one row of inputs to the next: not a power of two, so that they do not compete for the same
// lines of a cache.
constexpr int kRowSlack = 16;

// Columns of the right matrix that are a task, and their sums: [block of rows][tile][row][width].
struct Strip {
  int first = 0;
  int columns = 0;
};

template <class Word>
class Streamed {
 public:
  Streamed(const DenseOperands<Word>& operands, const TileShape& shape, int group)
      : operands_(operands),
        shape_(shape),
        steps_(static_cast<int>(operands.steps.size())),
        blocks_((operands.frame.rows + shape.rows - 1) / shape.rows) {
    for (int k = 0; k < group; ++k) offsets_.push_back(k * pitch());
    pack_weights();
  }

  // One tile of a group of steps.
  struct Tile {
    int first_row = 0;
    int rows = 0;
    int first_column = 0;
    int columns = 0;
    int first_step = 0;
    const Word* inputs = nullptr;
    const Word* weights = nullptr;
    const std::int32_t* offsets = nullptr;
    Word* sums = nullptr;
    Word* input_sums = nullptr;  // of the tile's columns, in every block of rows
  };

  // Calls begin(tile) for every tile of sums, add(tile, steps) for each group of steps that
  // next_group(first step) makes, end(tile); from several threads.
  template <class Begin, class Add, class End>
  void run(const std::vector<std::int32_t>& ends, const Begin& begin, const Add& add,
           const End& end) const {
    const int columns = operands_.frame.w;
    const std::int64_t work = std::int64_t{operands_.frame.rows} * columns * steps_;
    const int strips = std::max((columns + kStripColumns - 1) / kStripColumns,
                                std::min(thread_count(work), columns / shape_.width));
    const int each = (columns / strips + shape_.width) / shape_.width * shape_.width;
    for_each_task((columns + each - 1) / each, work, [&](std::int64_t i) {
      const int first = static_cast<int>(i) * each;
      const Strip strip{first, std::min(each, columns - first)};
      Word* sums = thread_scratch<1, Word>((static_cast<std::size_t>(blocks_) * shape_.rows + 1) *
                                           tiles(strip) * shape_.width);
      Word* inputs = thread_scratch<0, Word>(offsets_.size() * pitch() + shape_.width);
      for_each_tile(strip, 0, inputs, sums, begin);
      int step = 0;
      for (const std::int32_t group_end : ends) {
        read_group(strip, step, group_end, inputs);
        for_each_tile(strip, step, inputs, sums,
                      [&](const Tile& tile) { add(tile, group_end - step); });
        step = group_end;
      }
      for_each_tile(strip, 0, inputs, sums, end);
    });
  }

 private:
  int pitch() const { return kStripColumns + 2 * shape_.width + kRowSlack; }
  int tiles(const Strip& strip) const { return (strip.columns + shape_.width - 1) / shape_.width; }
  int rows_of(int block) const {
    return std::min(shape_.rows, operands_.frame.rows - block * shape_.rows);
  }

  // Per block of rows: [step][row].
  void pack_weights() {
    weights_.resize(static_cast<std::size_t>(operands_.frame.rows) * steps_);
    for (int block = 0; block < blocks_; ++block) {
      const int rows = rows_of(block);
      const std::int64_t first = std::int64_t{block} * shape_.rows * steps_;
      for (int r = 0; r < rows; ++r) {
        const Word* from = operands_.weights + first + std::int64_t{r} * steps_;
        Word* to = weights_.data() + first + r;
        for (int k = 0; k < steps_; ++k) to[std::int64_t{k} * rows] = from[k];
      }
    }
  }

  void read_group(const Strip& strip, int begin, int end, Word* inputs) const {
    for (int k = begin; k < end; ++k) {
      Word* to = inputs + offsets_[static_cast<std::size_t>(k - begin)];
      const int channel = operands_.steps[static_cast<std::size_t>(k)].channel;
      operands_.read({0, channel, 0, 1, strip.first, strip.columns}, to);
      std::fill_n(to + strip.columns, shape_.width, Word{});  // tiles read whole vectors
    }
  }

  template <class Visit>
  void for_each_tile(const Strip& strip, int step, const Word* inputs, Word* sums,
                     const Visit& visit) const {
    Word* const input_sums =
        sums + std::ptrdiff_t{blocks_} * shape_.rows * tiles(strip) * shape_.width;
    for (int block = 0; block < blocks_; ++block) {
      const Word* weights = weights_.data() + std::int64_t{block} * shape_.rows * steps_ +
                            std::int64_t{step} * rows_of(block);
      for (int at = 0; at < strip.columns; at += shape_.width) {
        visit(Tile{block * shape_.rows, rows_of(block), strip.first + at,
                   std::min(shape_.width, strip.columns - at), step, inputs + at, weights,
                   offsets_.data(), sums, input_sums + at});
        sums += shape_.rows * shape_.width;
      }
    }
  }

  const DenseOperands<Word>& operands_;
  const TileShape shape_;
  const int steps_;
  const int blocks_;
  std::vector<std::int32_t> offsets_;  // of the steps of a group
  std::vector<Word> weights_;
};

}  // namespace

bool is_matrix_product(const ProductFrame& frame) {
  const Window2d& window = frame.window;
  return frame.n == 1 && frame.h == 1 && window.output_h == 1 && window.output_w == frame.w &&
         window.kernel_h == 1 && window.kernel_w == 1 && window.stride_w == 1 &&
         window.pad_left == 0 && window.pad_top == 0;
}

bool is_streamed(const ProductFrame& frame) {
  return frame.rows <= kMostStreamedRows && is_matrix_product(frame);
}

void stream_product(const IntegerProduct& product, const IntegerSink& sink) {
  const TileShape shape = integer_tile_shape();
  const Streamed<std::int32_t> streamed(product.operands, shape, kIntegerGroup);
  using Tile = Streamed<std::int32_t>::Tile;
  const auto begin = [&](const Tile& tile) {
    std::fill_n(tile.sums, tile.rows * shape.width, 0);
    if (tile.first_row == 0) std::fill_n(tile.input_sums, shape.width, 0);
  };
  const bool sums_inputs = !product.ones.empty();
  const auto add = [&](const Tile& tile, int steps) {
    IntegerTile one{.factors = product.factors,
                    .rows = tile.rows,
                    .positions = tile.columns,
                    .inputs = tile.inputs,
                    .weights = tile.weights,
                    .offsets = tile.offsets,
                    .length = steps,
                    .adds = true,
                    .sums = tile.sums,
                    .stride = shape.width};
    run_integer_tile(one);
    if (!sums_inputs || tile.first_row != 0) return;
    one.weights = product.ones.data() + tile.first_step;
    one.sums = tile.input_sums;
    run_integer_row(one);
  };
  const auto end = [&](const Tile& tile) {
    sink.finish({0, tile.first_row, tile.first_column, tile.columns}, tile.rows, tile.sums,
                shape.width, sums_inputs ? tile.input_sums : nullptr);
  };
  const auto steps = static_cast<int>(product.operands.steps.size());
  std::vector<std::int32_t> ends;
  for (int first = 0; first < steps; first += kIntegerGroup) {
    ends.push_back(std::min(first + kIntegerGroup, steps));
  }
  streamed.run(ends, begin, add, end);
}

void stream_product(const FloatProduct& product, const FloatSink& sink) {
  const TileShape shape = block_tile_shape();
  const Streamed<float> streamed(product.operands, shape, kBlockChannels);
  using Tile = Streamed<float>::Tile;
  const auto begin = [&](const Tile& tile) {
    std::fill_n(tile.sums, shape.rows * shape.width, 0.0F);
    if (!sink.has_starts()) return;
    std::vector<float> unused(static_cast<std::size_t>(shape.width));
    for (int r = 0; r < tile.rows; ++r) {
      sink.start({0, tile.first_row + r, tile.first_column, tile.columns},
                 tile.sums + r * shape.width, unused.data());
    }
  };
  const auto add = [&](const Tile& tile, int steps) {
    const std::int32_t end = steps;
    run_block_tile({tile.rows, tile.columns, tile.inputs, tile.weights, tile.offsets, &end, 1,
                    product.specials(), tile.sums, tile.sums});
  };
  const auto finish = [&](const Tile& tile) {
    for (int r = 0; r < tile.rows; ++r) {
      sink.finish({0, tile.first_row + r, tile.first_column, tile.columns},
                  tile.sums + r * shape.width);
    }
  };
  std::vector<std::int32_t> ends;
  for (int k = 0; k < static_cast<int>(product.operands.steps.size()); ++k) {
    if (product.operands.steps[static_cast<std::size_t>(k)].ends_block) ends.push_back(k + 1);
  }
  streamed.run(ends, begin, add, finish);
}

}  // namespace tensorlane
