// Sums of products by way of dense matrices: results that only the first source tells apart are
// rows, those that only the second one does are columns, and the factors of both are gathered for
// some steps at a time.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <numeric>

#include "tensorlane/base/parallel.h"
#include "tensorlane/observe/precision/dense_sums.h"
#include "tensorlane/observe/precision/reduction.h"

namespace tensorlane::precision {
namespace {

constexpr std::int64_t kFewestColumns = 8;
constexpr std::int64_t kBlockNumbers = 1 << 18;  // of the gathered right matrix: 2 MB

bool all_finite(const double* values, std::int64_t count) {
  return std::all_of(values, values + count, [](double value) { return std::isfinite(value); });
}

}  // namespace

bool Reduction::depends_on(const Source& source, int dimension) {
  return std::ranges::any_of(source.dimensions,
                             [=](const Dimension& each) { return each.result == dimension; });
}

// The offsets of a source for all indices of the dimensions `of` of the result, the last one
// fastest; the others are those of `result`. -1 outside.
void Reduction::offsets_of(const Source& source, const Layout::Index& result,
                           const std::vector<int>& of, const Layout::Index& at,
                           std::vector<std::int64_t>& offsets) const {
  const auto part = [&](const Dimension& dimension, std::int64_t r) {
    if (dimension.variable < 0) return dimension.at(r, 0, 1);
    const auto v = static_cast<std::size_t>(dimension.variable);
    return dimension.at(r, at[v], variables_[v].extent);
  };
  std::int64_t fixed = 0;
  for (const Dimension& dimension : source.dimensions) {
    if (std::ranges::count(of, dimension.result) != 0) continue;
    const auto r = dimension.result < 0 ? 0 : result[static_cast<std::size_t>(dimension.result)];
    const std::int64_t more = part(dimension, r);
    fixed = fixed < 0 || more < 0 ? -1 : fixed + more;
  }
  offsets.assign(1, fixed);
  std::vector<std::int64_t> before;
  for (const int d : of) {
    before.swap(offsets);
    const std::int64_t extent = extents_[static_cast<std::size_t>(d)];
    std::vector<std::int64_t> steps(static_cast<std::size_t>(extent), 0);
    for (const Dimension& dimension : source.dimensions) {
      if (dimension.result != d) continue;
      for (std::int64_t r = 0; r < extent; ++r) {
        std::int64_t& step = steps[static_cast<std::size_t>(r)];
        const std::int64_t more = part(dimension, r);
        step = step < 0 || more < 0 ? -1 : step + more;
      }
    }
    offsets.clear();
    offsets.reserve(before.size() * steps.size());
    for (const std::int64_t offset : before) {
      for (const std::int64_t step : steps)
        offsets.push_back(offset < 0 || step < 0 ? -1 : offset + step);
    }
  }
}

// Numbers of the result, in the same order.
std::vector<std::int64_t> Reduction::numbers_of(const std::vector<int>& of) const {
  std::vector<std::int64_t> numbers = {0};
  for (const int d : of) {
    std::int64_t stride = 1;
    for (std::size_t k = static_cast<std::size_t>(d) + 1; k < extents_.size(); ++k)
      stride *= extents_[k];
    std::vector<std::int64_t> more;
    more.reserve(numbers.size() * static_cast<std::size_t>(extents_[static_cast<std::size_t>(d)]));
    for (const std::int64_t number : numbers) {
      for (std::int64_t r = 0; r < extents_[static_cast<std::size_t>(d)]; ++r)
        more.push_back(number + r * stride);
    }
    numbers.swap(more);
  }
  return numbers;
}

// All combinations of the variables, in the order of each_row().
std::vector<Layout::Index> Reduction::combinations() const {
  std::vector<Layout::Index> all;
  Layout::Index at{};
  for (std::int64_t c = length(); c > 0; --c) {
    all.push_back(at);
    for (std::size_t v = variables_.size(); v-- > 0;) {
      if (++at[v] < variables_[v].extent) break;
      at[v] = 0;
    }
  }
  return all;
}

bool Reduction::sum_densely(const double* first, const double* second, double* result) const {
  constexpr double kOne = 1;
  const Source none;
  // The right source is the one with the last dimension of the result.
  const int last = static_cast<int>(extents_.size()) - 1;
  const bool exchanged = sources_.size() == 2 && !depends_on(sources_[1], last);
  const bool single = sources_.size() < 2;
  const Source& left = single ? none : sources_[exchanged ? 1 : 0];
  const Source& right = single || exchanged ? sources_[0] : sources_[1];
  const double* const left_data = single ? &kOne : exchanged ? second : first;
  const double* const right_data = single || exchanged ? first : second;
  std::vector<int> rows, columns, both;
  for (int d = 0; d <= last; ++d)
    (!depends_on(left, d) ? columns : depends_on(right, d) ? both : rows).push_back(d);
  const std::vector<std::int64_t> row_numbers = numbers_of(rows),
                                  column_numbers = numbers_of(columns),
                                  both_numbers = numbers_of(both);
  const auto width = static_cast<std::int64_t>(column_numbers.size());
  const auto height = static_cast<std::int64_t>(row_numbers.size());
  if (width < kFewestColumns) return false;
  const std::vector<Layout::Index> steps = combinations();
  const auto length = static_cast<std::int64_t>(steps.size());
  const std::int64_t block = std::clamp<std::int64_t>(kBlockNumbers / width, 4, 256);
  std::vector<double> from_left(static_cast<std::size_t>(height * block)),
      from_right(static_cast<std::size_t>(width * block)),
      sums(static_cast<std::size_t>(height * width));
  std::atomic<bool> beside = false;  // a factor outside of its source
  const auto number = [&](const double* data, std::int64_t offset) {
    if (offset >= 0) return data[offset];
    beside.store(true, std::memory_order_relaxed);
    return 0.0;
  };
  std::vector<double> made(result, result + std::accumulate(extents_.begin(), extents_.end(),
                                                            std::int64_t{1}, std::multiplies<>()));
  Layout::Index at{};
  for (const std::int64_t base : both_numbers) {
    for (std::int64_t i = 0; i < height; ++i) {
      for (std::int64_t j = 0; j < width; ++j)
        sums[static_cast<std::size_t>(i * width + j)] =
            made[static_cast<std::size_t>(base + row_numbers[static_cast<std::size_t>(i)] +
                                          column_numbers[static_cast<std::size_t>(j)])];
    }
    for (std::int64_t begin = 0; begin < length; begin += block) {
      const std::int64_t count = std::min(block, length - begin);
      parallel_ranges(count, std::max<std::int64_t>(1, 65536 / width),
                      [&](std::int64_t k, std::int64_t end) {
                        std::vector<std::int64_t> offsets;
                        for (; k < end; ++k) {
                          const Layout::Index& step = steps[static_cast<std::size_t>(begin + k)];
                          offsets_of(left, at, rows, step, offsets);
                          for (std::int64_t i = 0; i < height; ++i)
                            from_left[static_cast<std::size_t>(i * count + k)] =
                                number(left_data, offsets[static_cast<std::size_t>(i)]);
                          offsets_of(right, at, columns, step, offsets);
                          for (std::int64_t j = 0; j < width; ++j)
                            from_right[static_cast<std::size_t>(k * width + j)] =
                                number(right_data, offsets[static_cast<std::size_t>(j)]);
                        }
                      });
      add_products({.left = from_left.data(),
                    .right = from_right.data(),
                    .sums = sums.data(),
                    .rows = height,
                    .steps = count,
                    .columns = width});
    }
    for (std::int64_t i = 0; i < height; ++i) {
      for (std::int64_t j = 0; j < width; ++j)
        made[static_cast<std::size_t>(base + row_numbers[static_cast<std::size_t>(i)] +
                                      column_numbers[static_cast<std::size_t>(j)])] =
            sums[static_cast<std::size_t>(i * width + j)];
    }
    for (std::size_t k = both.size(); k-- > 0;) {
      const auto d = static_cast<std::size_t>(both[k]);
      if (++at[d] < extents_[d]) break;
      at[d] = 0;
    }
  }
  // Nothing is added for what lies outside: not 0 times something either, where that is no 0.
  if (beside && !all_finite(made.data(), static_cast<std::int64_t>(made.size()))) return false;
  std::ranges::copy(made, result);
  return true;
}

}  // namespace tensorlane::precision
