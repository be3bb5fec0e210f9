#include "tensorlane/products/channel_mean.h"

#include <algorithm>
#include <vector>

#include "tensorlane/products/any_type_window_tile.h"
#include "tensorlane/products/dense_words.h"
#include "tensorlane/tiles/scratch.h"
#include "tensorlane/tiles/tasks.h"

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
  const std::int64_t count = std::int64_t{args.h} * args.w;
  if (args.input.w != 1 || count > kMostElements) return false;
  const int rows = static_cast<int>((count + args.columns - 1) / args.columns);
  const std::vector<std::int32_t> row_starts = steps_of(rows, args.columns);
  const std::vector<std::int32_t> columns = steps_of(args.columns, 1);
  const std::vector<float> ones(row_starts.size(), 1.0F);
  const std::vector<float> scales(columns.size(), args.scale);
  const bool dense = args.input.h == args.w;
  const std::int64_t channels = std::int64_t{args.n} * args.c;
  for_each_task(channels, channels * count, [&](std::int64_t i) {
    const auto n = static_cast<int>(i / args.c);
    const auto c = static_cast<int>(i % args.c);
    float* elements = thread_scratch<0>(static_cast<std::size_t>(rows) * columns.size() +
                                        static_cast<std::size_t>(kWindowSlack));
    const int lines = dense ? 1 : args.h;
    const int length = dense ? static_cast<int>(count) : args.w;
    for (int h = 0; h < lines; ++h)
      widen(args.input.address(n, c, h, 0), 1, args.type, length,
            elements + std::ptrdiff_t{h} * args.w);
    std::fill(elements + count, elements + std::int64_t{rows} * args.columns + kWindowSlack, 0.0F);
    float* sums = thread_scratch<1>(columns.size() + 2 * static_cast<std::size_t>(kWindowSlack));
    sum_rounded_windows({elements, row_starts.data(), rows, args.columns, sums}, ones.data(), 0.0F,
                        args.type);
    std::fill_n(sums + args.columns, kWindowSlack, 0.0F);
    float mean[kWindowSlack];
    sum_rounded_windows({sums, columns.data(), args.columns, 1, mean}, scales.data(), 0.0F,
                        args.type);
    store_floats(mean, 1, args.type, args.output.address(n, c, 0, 0));
  });
  return true;
}

}  // namespace tensorlane
