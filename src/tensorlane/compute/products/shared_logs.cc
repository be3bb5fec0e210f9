#include "tensorlane/compute/products/shared_logs.h"

#include <algorithm>

#include "tensorlane/compute/bands/tasks.h"
#include "tensorlane/compute/tiles/log_tile.h"

namespace tensorlane {

namespace {

NumberRange range_of_weights(const float* weights, std::int64_t count,
                             SharedLogs::Threads threads) {
  if (threads == SharedLogs::Threads::kOne) return range_of(weights, count);
  constexpr std::int64_t kPart = 1 << 16;
  std::vector<NumberRange> parts(static_cast<std::size_t>((count + kPart - 1) / kPart));
  for_each_task(static_cast<std::int64_t>(parts.size()), layout_work(count), [&](std::int64_t i) {
    parts[static_cast<std::size_t>(i)] =
        range_of(weights + i * kPart, std::min(kPart, count - i * kPart));
  });
  NumberRange all = parts.empty() ? NumberRange{} : parts.front();
  for (const NumberRange& part : parts) {
    all.lowest = std::min(all.lowest, part.lowest);
    all.largest = std::max(all.largest, part.largest);
  }
  return all;
}

}  // namespace

SharedLogs::SharedLogs(const float* weights, int rows, int steps, Threads threads)
    : numbers_(weights),
      rows_(rows),
      steps_(steps),
      tile_rows_(block_tile_shape().rows),
      tile_width_(block_tile_shape().width),
      range_(range_of_weights(weights, std::int64_t{rows} * steps, threads)),
      has_logs_(rows >= kLeastLogRows && has_log_tile()),
      late_(exact_tile_may_serve(range_)) {
  if (!has_logs_) return;
  const int blocks = (rows + tile_rows_ - 1) / tile_rows_;
  weights_ = Words<std::uint32_t>(static_cast<std::size_t>(rows) * steps);
  bases_.resize(static_cast<std::size_t>(blocks));
  if (late_) return;
  if (threads == Threads::kOne) {
    for (int block = 0; block < blocks; ++block) make_block(block);
    return;
  }
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
  constexpr std::int64_t kTaken = 16;
  const auto count = static_cast<std::int64_t>(bases_.size());
  while (taken_.load(std::memory_order_relaxed) < count) {
    const std::int64_t first = taken_.fetch_add(kTaken, std::memory_order_relaxed);
    const std::int64_t end = std::min(first + kTaken, count);
    for (std::int64_t block = first; block < end; ++block) make_block(block);
    if (first < end &&
        made_.fetch_add(end - first, std::memory_order_acq_rel) + end - first == count)
      made_.notify_all();
  }
  for (std::int64_t made = made_.load(std::memory_order_acquire); made < count;
       made = made_.load(std::memory_order_acquire))
    made_.wait(made, std::memory_order_acquire);
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
