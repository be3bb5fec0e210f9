#include "tensorlane/compute/products/shared_logs.h"

#include <algorithm>

#include "tensorlane/compute/bands/tasks.h"
#include "tensorlane/compute/tiles/log_tile.h"

namespace tensorlane {

SharedLogs::SharedLogs(const float* weights, int rows, int steps)
    : steps_(steps), tile_rows_(block_tile_shape().rows), tile_width_(block_tile_shape().width) {
  if (rows < kLeastLogRows || !has_log_tile()) return;
  const int blocks = (rows + tile_rows_ - 1) / tile_rows_;
  const std::int64_t count = std::int64_t{rows} * steps;
  weights_ = Words<std::uint32_t>(static_cast<std::size_t>(count));
  bases_.resize(static_cast<std::size_t>(blocks));
  for_each_task(blocks, count, [&](std::int64_t block) {
    const std::int64_t first = block * tile_rows_ * steps;
    const std::int64_t words = std::min(std::int64_t{tile_rows_} * steps, count - first);
    bases_[static_cast<std::size_t>(block)] =
        make_weight_logs(weights + first, words, weights_.data() + first);
  });
}

SharedLogs::Inputs SharedLogs::of_inputs(const float* inputs, const std::int32_t* offsets,
                                         int positions, std::int16_t* to) const {
  if (bases_.empty()) return {};
  return {to, make_input_logs(inputs, offsets, steps_, positions, to)};
}

std::size_t SharedLogs::words() const {
  return bases_.empty() ? 0 : static_cast<std::size_t>(steps_) * tile_width_;
}

void SharedLogs::run(const BlockTile& tile, int first_row, const Inputs& inputs) const {
  if (inputs.logs == nullptr || tile.specials) return run_block_tile(tile);
  const int base = inputs.base + bases_[static_cast<std::size_t>(first_row / tile_rows_)];
  if (!log_tile_serves(base)) return run_block_tile(tile);
  run_log_tile({.rows = tile.rows,
                .inputs = tile.inputs,
                .weights = tile.weights,
                .offsets = tile.offsets,
                .input_logs = inputs.logs,
                .weight_logs = weights_.data() + std::int64_t{first_row} * steps_,
                .base = base,
                .block_ends = tile.block_ends,
                .blocks = tile.blocks,
                .start = tile.start,
                .sums = tile.sums});
}

}  // namespace tensorlane
