#include "tensorlane/compute/matrices/wide_results.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tensorlane/compute/element_io.h"
#include "tensorlane/compute/matrices/matrix_words.h"
#include "tensorlane/compute/tiles/wide_tile.h"

namespace tensorlane {
namespace {

constexpr int kMostWideShift = 63;

std::vector<std::int64_t> shifts_of(const AnyTypeMatmulArgs& args, int group) {
  // Tiles end behind the last column.
  std::vector<std::int64_t> shifts(static_cast<std::size_t>(args.cols) + kMostWideColumns,
                                   args.finish.shift);
  if (!args.has_shifts) return shifts;
  std::ranges::fill(shifts, 0);
  int column = 0;
  for (const std::int32_t shift : read_vector(args.shifts, args.cols))
    shifts[static_cast<std::size_t>(place_in_groups(column++, group))] = shift;
  return shifts;
}

bool are_only_shifts(const AnyTypeMatmulArgs& args) {
  const IntegerFinish& finish = args.finish;
  const bool is_unsigned = finish.wraps == SumWraps::kUint64;
  return !args.has_bias && !args.result_add && !finish.relu && finish.multiplier == 1 &&
         dtype_bytes(args.output.type) == 4 &&
         (is_unsigned ? finish.saturate : finish.wraps == SumWraps::kNever) &&
         (!finish.saturate || is_unsigned != dtype_info(args.output.type).is_signed);
}
WideEnd end_of(const IntegerFinish& finish) {
  if (!finish.saturate) return WideEnd::kLowBits;
  return finish.wraps == SumWraps::kUint64 ? WideEnd::kUint32 : WideEnd::kInt32;
}

}  // namespace

WideResults::WideResults(const AnyTypeMatmulArgs& args, int group)
    : args_(args),
      group_(group),
      shifts_(shifts_of(args, group)),
      left_(std::ranges::any_of(shifts_, [](std::int64_t shift) { return shift > 0; })),
      only_shifts_(are_only_shifts(args) && std::ranges::all_of(shifts_, [](std::int64_t shift) {
                     return std::abs(shift) <= kMostWideShift;
                   })) {}

void WideResults::store(int row, int rows, int first, int count, int columns,
                        const std::int64_t* sums) const {
  std::int32_t words[kWideRows * kMostWideColumns];
  if (only_shifts_) {
    shift_wide_sums({.sums = sums,
                     .splits = group_ > 1,
                     .rows = rows,
                     .columns = columns,
                     .shifts = &shifts_[static_cast<std::size_t>(first)],
                     .shifts_are_one = !args_.has_shifts,
                     .left = left_,
                     .mode = args_.finish.rounding,
                     .end = end_of(args_.finish),
                     .to = words});
  }
  for_each_part_of_rows(args_.output, row, rows, first, count,
                        [&](int r, int column, int part, std::byte* to) {
                          const std::ptrdiff_t before = std::ptrdiff_t{r - row} * columns;
                          if (only_shifts_) {
                            copy_words(words + before + (column - first), part, to);
                          } else {
                            store_one_by_one(r, column, part, first, sums + before, to);
                          }
                        });
}

void WideResults::store_one_by_one(int row, int column, int count, int first,
                                   const std::int64_t* sums, std::byte* to) const {
  IntegerFinish finish = args_.finish;
  const Dtype type = args_.output.type;
  for (int end = column + count; column < end; ++column, to += dtype_bytes(type)) {
    const int place = place_in_groups(column, group_);
    std::int64_t sum = sums[place - first];
    if (args_.has_bias) sum += args_.bias.integer_at(0, column);
    if (args_.result_add) sum += args_.output.integer_at(row, column) << finish.left_shift;
    finish.shift = static_cast<int>(shifts_[static_cast<std::size_t>(place)]);
    store_integer(to, type, finish.apply(sum));
  }
}

}  // namespace tensorlane
