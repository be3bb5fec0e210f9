#include "tensorlane/compute/products/shared_logs.h"

#include <algorithm>

#include "tensorlane/compute/bands/tasks.h"
#include "tensorlane/compute/tiles/log_tile.h"

namespace tensorlane {

SharedLogs::SharedLogs(const float* weights, int rows, int steps)
    : numbers_(weights),
      rows_(rows),
      steps_(steps),
      tile_rows_(block_tile_shape().rows),
      tile_width_(block_tile_shape().width),
      range_(range_of(weights, std::int64_t{rows} * steps)),
      has_logs_(rows >= kLeastLogRows && has_log_tile()),
      late_(exact_tile_may_serve(range_)) {
  if (!has_logs_) return;
  const int blocks = (rows + tile_rows_ - 1) / tile_rows_;
  weights_ = Words<std::uint32_t>(static_cast<std::size_t>(rows) * steps);
  bases_.resize(static_cast<std::size_t>(blocks));
  if (late_) return;
  for_each_task(blocks, layout_work(std::int64_t{rows} * steps),
                [&](std::int64_t block) { make_block(block); });
}

void SharedLogs::make_block(std::int64_t block) const {
  const std::int64_t first = block * tile_rows_ * steps_;
  const std::int64_t words =
      std::min<std::int64_t>(tile_rows_, rows_ - block * tile_rows_) * steps_;
  bases_[static_cast<std::size_t>(block)] =
      make_weight_logs(numbers_ + first, words, weights_.data() + first);
}

void SharedLogs::make_late() const {
  std::call_once(made_, [&] {
    for (std::size_t block = 0; block < bases_.size(); ++block)
      make_block(static_cast<std::int64_t>(block));
  });
}

SharedLogs::Inputs SharedLogs::of_inputs(const float* inputs, const std::int32_t* offsets,
                                         int positions, std::int16_t* to) const {
  if (late_ && exact_tile_serves(range_of(inputs, offsets, steps_, positions), range_))
    return {.exact = true};
  if (!has_logs_) return {};
  if (late_) make_late();
  return {to, make_input_logs(inputs, offsets, steps_, positions, to)};
}

std::size_t SharedLogs::words() const {
  return has_logs_ ? static_cast<std::size_t>(steps_) * tile_width_ : 0;
}

void SharedLogs::run(const BlockTile& tile, int first_row, const Inputs& inputs) const {
  if (inputs.exact) return run_exact_tile(tile);
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
