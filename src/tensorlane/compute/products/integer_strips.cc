#include "tensorlane/compute/products/integer_strips.h"

#include <algorithm>
#include <vector>

#include "tensorlane/compute/bands/scratch.h"
#include "tensorlane/compute/bands/tasks.h"
#include "tensorlane/compute/products/dense_words.h"
#include "tensorlane/compute/tiles/integer_tile.h"

namespace tensorlane {
namespace {

// Words of all steps of a strip: most of a second-level cache.
constexpr std::int64_t kStripWords = 64 * 1024;
constexpr int kMostStripColumns = 512;
constexpr int kStripSlack = 16;  // steps do not compete for the same lines of a cache

class IntegerStrips {
 public:
  IntegerStrips(const IntegerProduct& product, const IntegerSink& sink)
      : product_(product),
        sink_(sink),
        shape_(integer_tile_shape()),
        steps_(static_cast<int>(product.operands.steps.size())),
        rows_(product.operands.frame.rows),
        columns_(product.operands.frame.w),
        work_(std::int64_t{rows_} * columns_ * steps_),
        each_(strip_columns()) {
    for (int k = 0; k < steps_; ++k) offsets_.push_back(k * pitch());
    pack_weights();
  }

  void run() const {
    for_each_task((columns_ + each_ - 1) / each_, work_, [&](std::int64_t strip) {
      const int first = static_cast<int>(strip) * each_;
      run_strip(first, std::min(each_, columns_ - first));
    });
  }

 private:
  // Whole tiles, in as many strips for every thread.
  int strip_columns() const {
    const std::int64_t most =
        std::clamp<std::int64_t>(kStripWords / std::max(steps_, 1), 1, kMostStripColumns);
    const std::int64_t strips = even_parts((columns_ + most - 1) / most, work_);
    const std::int64_t tiles = (columns_ + strips * shape_.width - 1) / (strips * shape_.width);
    return static_cast<int>(tiles) * shape_.width;
  }
  int pitch() const { return each_ + kStripSlack; }
  int rows_of(int first) const { return std::min(shape_.rows, rows_ - first); }

  // Per block of rows: [step][row].
  void pack_weights() {
    weights_ = Words<std::int32_t>(static_cast<std::size_t>(rows_) * steps_);
    const int blocks = (rows_ + shape_.rows - 1) / shape_.rows;
    for_each_task(
        blocks, layout_work(static_cast<std::int64_t>(weights_.size())), [&](std::int64_t block) {
          const int first = static_cast<int>(block) * shape_.rows;
          const int rows = rows_of(first);
          const std::int32_t* const from = product_.operands.weights + std::int64_t{first} * steps_;
          std::int32_t* to = weights_.data() + std::int64_t{first} * steps_;
          for (int k = 0; k < steps_; ++k) {
            for (int r = 0; r < rows; ++r) *to++ = from[std::int64_t{r} * steps_ + k];
          }
        });
  }

  void run_strip(int first, int columns) const {
    auto* const panel = thread_scratch<0, std::int32_t>(static_cast<std::size_t>(steps_) * pitch());
    for (int k = 0; k < steps_; ++k) {
      std::int32_t* const to = panel + offsets_[static_cast<std::size_t>(k)];
      const int channel = product_.operands.steps[static_cast<std::size_t>(k)].channel;
      product_.operands.read({0, channel, 0, 1, first, columns}, to);
      std::fill(to + columns, to + pitch(), 0);  // tiles read whole vectors
    }
    IntegerTile tile{.factors = product_.factors,
                     .positions = columns,
                     .offsets = offsets_.data(),
                     .length = steps_,
                     .stride = pitch()};
    auto* const input_sums = thread_scratch<4, std::int32_t>(static_cast<std::size_t>(pitch()));
    if (!product_.ones.empty()) {
      tile.rows = 1;
      tile.inputs = panel;
      tile.weights = product_.ones.data();
      tile.sums = input_sums;
      run_integer_row(tile);
    }
    auto* const sums =
        thread_scratch<1, std::int32_t>(static_cast<std::size_t>(shape_.rows) * pitch());
    for (int row = 0; row < rows_; row += shape_.rows) {
      tile.rows = rows_of(row);
      tile.weights = weights_.data() + std::int64_t{row} * steps_;
      for (int at = 0; at < columns; at += shape_.width) {
        tile.positions = std::min(shape_.width, columns - at);
        tile.inputs = panel + at;
        tile.sums = sums + at;
        run_integer_tile(tile);
      }
      sink_.finish({0, row, first, columns}, tile.rows, sums, pitch(),
                   product_.ones.empty() ? nullptr : input_sums);
    }
  }

  const IntegerProduct& product_;
  const IntegerSink& sink_;
  const TileShape shape_;
  const int steps_, rows_, columns_;
  const std::int64_t work_;
  const int each_;                     // columns of a strip
  std::vector<std::int32_t> offsets_;  // of the steps in a panel
  Words<std::int32_t> weights_;
};

}  // namespace

void strip_product(const IntegerProduct& product, const IntegerSink& sink) {
  IntegerStrips(product, sink).run();
}

}  // namespace tensorlane
