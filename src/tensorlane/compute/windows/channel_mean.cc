#include "tensorlane/compute/windows/channel_mean.h"

#include <algorithm>
#include <vector>

#include "tensorlane/compute/bands/scratch.h"
#include "tensorlane/compute/bands/tasks.h"
#include "tensorlane/compute/bands/view_forms.h"
#include "tensorlane/compute/products/dense_words.h"
#include "tensorlane/compute/tiles/any_type_window_tile.h"
#include "tensorlane/compute/tiles/stored_rows_tile.h"

namespace tensorlane {
namespace {

// 0, step, 2 * step, ...
std::vector<std::int32_t> steps_of(int count, int step) {
  std::vector<std::int32_t> offsets;
  for (int k = 0; k < count; ++k) offsets.push_back(k * step);
  return offsets;
}

}  // namespace

bool channel_mean_simd(const ChannelMeanArgs& args) {
  constexpr int kMostElements = 1 << 26;
  constexpr int kBatch = 32;  // channels whose columns are added side by side
  const std::int64_t count = std::int64_t{args.h} * args.w;
  if (!has_dense_rows(args.input) || count > kMostElements) return false;
  const int rows = static_cast<int>((count + args.columns - 1) / args.columns);
  const std::vector<std::int32_t> row_starts = steps_of(rows, args.columns);
  const std::vector<std::int32_t> columns = steps_of(args.columns, kBatch);
  const std::vector<float> scales(columns.size(), args.scale);
  const bool dense = has_dense_channels(args.input, args.w);
  const int lines = dense ? 1 : args.h;
  const int length = dense ? static_cast<int>(count) : args.w;
  const std::size_t padded = static_cast<std::size_t>(rows) * columns.size() + kWindowSlack;
  const std::int64_t channels = std::int64_t{args.n} * args.c;
  // A channel's row sums become a column of `sums`.
  const auto sum_rows = [&](std::int64_t i, float* sums) {
    const auto n = static_cast<int>(i / args.c);
    const auto c = static_cast<int>(i % args.c);
    const std::byte* const from = args.input.address(n, c, 0, 0);
    float* row = thread_scratch<1>(columns.size() + static_cast<std::size_t>(kWindowSlack));
    const auto add_column = [&] {
      for (int w = 0; w < args.columns; ++w) sums[std::ptrdiff_t{w} * kBatch] = row[w];
    };
    if (dense && sum_stored_rows(args.type, from, count, args.columns, row)) return add_column();
    float* elements = thread_scratch<0>(padded);
    const std::int64_t line_bytes = args.input.h * args.input.element_bytes;
    for (int h = 0; h < lines; ++h)
      widen(from + h * line_bytes, 1, args.type, length, elements + std::ptrdiff_t{h} * args.w);
    std::fill(elements + count, elements + padded, 0.0F);
    sum_rounded_products({elements, row_starts.data(), rows, args.columns, row}, kNoStart,
                         args.type);
    add_column();
  };
  const std::int64_t batches = (channels + kBatch - 1) / kBatch;
  for_each_task(batches, channels * count, [&](std::int64_t batch) {
    const std::int64_t first = batch * kBatch;
    const std::int64_t end = std::min(first + kBatch, channels);
    float* sums = thread_scratch<2>(columns.size() * kBatch + kWindowSlack);
    std::fill_n(sums, columns.size() * kBatch + kWindowSlack, 0.0F);
    for (std::int64_t i = first; i < end; ++i) sum_rows(i, sums + (i - first));
    float means[kBatch + kWindowSlack];
    sum_rounded_windows({sums, columns.data(), args.columns, end - first, means}, scales.data(),
                        kNoStart, args.type);
    for (std::int64_t i = first; i < end; ++i)
      store_floats(
          means + (i - first), 1, args.type,
          args.output.address(static_cast<int>(i / args.c), static_cast<int>(i % args.c), 0, 0));
  });
  return true;
}

}  // namespace tensorlane
