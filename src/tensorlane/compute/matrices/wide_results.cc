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

std::vector<std::int64_t> shifts_of(const AnyTypeMatmulArgs& args) {
  std::vector<std::int64_t> shifts(static_cast<std::size_t>(args.cols), args.finish.shift);
  if (args.has_shifts) std::ranges::copy(read_vector(args.shifts, args.cols), shifts.begin());
  shifts.resize(shifts.size() + kMostWideColumns);  // tiles end behind the last column
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

WideResults::WideResults(const AnyTypeMatmulArgs& args)
    : args_(args),
      shifts_(shifts_of(args)),
      only_shifts_(are_only_shifts(args) && std::ranges::all_of(shifts_, [](std::int64_t shift) {
                     return std::abs(shift) <= kMostWideShift;
                   })) {}

void WideResults::store(int row, int rows, int first, int count, int columns,
                        const std::int64_t* sums) const {
  std::int32_t words[kWideRows * kMostWideColumns];
  if (only_shifts_) {
    shift_wide_sums({.sums = sums,
                     .rows = rows,
                     .columns = columns,
                     .shifts = &shifts_[static_cast<std::size_t>(first)],
                     .shifts_are_one = !args_.has_shifts,
                     .mode = args_.finish.rounding,
                     .end = end_of(args_.finish),
                     .to = words});
  }
  for (int r = 0; r < rows; ++r) {
    const std::ptrdiff_t before = std::ptrdiff_t{r} * columns - first;
    for_each_part(args_.output, row + r, first, count, [&](int column, int part, std::byte* to) {
      if (only_shifts_) {
        std::memcpy(to, words + before + column, static_cast<std::size_t>(part) * sizeof *words);
      } else {
        store_one_by_one(row + r, column, part, sums + before + column, to);
      }
    });
  }
}

void WideResults::store_one_by_one(int row, int first, int count, const std::int64_t* sums,
                                   std::byte* to) const {
  IntegerFinish finish = args_.finish;
  const Dtype type = args_.output.type;
  for (int i = 0; i < count; ++i, to += dtype_bytes(type)) {
    std::int64_t sum = sums[i];
    if (args_.has_bias) sum += args_.bias.integer_at(0, first + i);
    if (args_.result_add) sum += args_.output.integer_at(row, first + i) << finish.left_shift;
    finish.shift = static_cast<int>(shifts_[static_cast<std::size_t>(first) + i]);
    store_integer(to, type, finish.apply(sum));
  }
}

}  // namespace tensorlane
