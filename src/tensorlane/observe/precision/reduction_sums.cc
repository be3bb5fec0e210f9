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
#include "tensorlane/observe/precision/operand_values.h"
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

// What the dimensions of the result other than `of` give to the offset of a source; -1 outside.
std::int64_t Reduction::fixed_offset(const Source& source, const Layout::Index& result,
                                     const std::vector<int>& of, const Layout::Index& at) const {
  std::int64_t offset = 0;
  for (const Dimension& dimension : source.dimensions) {
    if (std::ranges::count(of, dimension.result) != 0) continue;
    const auto r = dimension.result < 0 ? 0 : result[static_cast<std::size_t>(dimension.result)];
    const std::int64_t more = part_of(dimension, r, at);
    if (more < 0) return -1;
    offset += more;
  }
  return offset;
}

// What all indices of the dimensions `of` add to that, the last one fastest; -1 outside.
void Reduction::offsets_of(const Source& source, const std::vector<int>& of,
                           const Layout::Index& at, std::vector<std::int64_t>& offsets) const {
  offsets.assign(1, 0);
  std::vector<std::int64_t> before;
  for (const int d : of) {
    before.swap(offsets);
    const std::int64_t extent = extents_[static_cast<std::size_t>(d)];
    std::vector<std::int64_t> steps(static_cast<std::size_t>(extent), 0);
    for (const Dimension& dimension : source.dimensions) {
      if (dimension.result != d) continue;
      for (std::int64_t r = 0; r < extent; ++r) {
        std::int64_t& step = steps[static_cast<std::size_t>(r)];
        const std::int64_t more = part_of(dimension, r, at);
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

// The factors that one source gives to the indices of some dimensions of the result.
class Reduction::Factors {
 public:
  Factors(const Reduction& reduction, const Source& source, const double* data,
          const std::vector<int>& of)
      : reduction_(reduction), source_(source), data_(data), of_(of) {
    // A window joins an index of the result with what is summed over.
    windowed_ = std::ranges::any_of(source.dimensions, [&](const Dimension& each) {
      return each.variable >= 0 && std::ranges::count(of, each.result) != 0;
    });
    if (windowed_) return;
    reduction.offsets_of(source, of, {}, offsets_);
    even_ = true;
    for (std::size_t i = 0; i < offsets_.size(); ++i)
      even_ = even_ && offsets_[i] == offsets_[0] + static_cast<std::int64_t>(i);
  }
  // Calls put(i, factor) for all indices, 0 for what lies outside of the source; false where
  // something does.
  template <class Put>
  bool visit(const Layout::Index& result, const Layout::Index& step, Put put) const {
    const std::int64_t begin = reduction_.fixed_offset(source_, result, of_, step);
    if (even_ && begin >= 0) {
      const double* const from = data_ + begin + offsets_[0];
      for (std::size_t i = 0; i < offsets_.size(); ++i) put(static_cast<std::int64_t>(i), from[i]);
      return true;
    }
    std::vector<std::int64_t> of_step;
    if (windowed_) reduction_.offsets_of(source_, of_, step, of_step);
    bool inside = true;
    std::int64_t i = 0;
    for (const std::int64_t offset : windowed_ ? of_step : offsets_) {
      const bool within = begin >= 0 && offset >= 0;
      inside = inside && within;
      put(i++, within ? data_[begin + offset] : 0.0);
    }
    return inside;
  }

 private:
  const Reduction& reduction_;
  const Source& source_;
  const double* data_;
  const std::vector<int>& of_;
  bool windowed_ = false, even_ = false;
  std::vector<std::int64_t> offsets_;  // the same ones for every step, but for windows
};

bool Reduction::sum_densely(const double* first, const double* second, double* result) const {
  constexpr double kOne = 1;
  const Source none;
  // The right source is the one with the last dimension of the result.
  const int last = static_cast<int>(extents_.size()) - 1;
  const bool exchanged = sources_.size() == 2 && !depends_on(sources_[1], last);
  const bool single = sources_.size() < 2;
  const Source& left = single ? none : sources_[exchanged ? 1 : 0];
  const Source& right = single || exchanged ? sources_[0] : sources_[1];
  std::vector<int> rows, columns, both;
  for (int d = 0; d <= last; ++d)
    (!depends_on(left, d) ? columns : depends_on(right, d) ? both : rows).push_back(d);
  const std::vector<std::int64_t> row_numbers = numbers_of(rows),
                                  column_numbers = numbers_of(columns),
                                  both_numbers = numbers_of(both);
  const auto width = static_cast<std::int64_t>(column_numbers.size());
  const auto height = static_cast<std::int64_t>(row_numbers.size());
  if (width < kFewestColumns) return false;
  const Factors of_left(*this, left,
                        single      ? &kOne
                        : exchanged ? second
                                    : first,
                        rows),
      of_right(*this, right, single || exchanged ? first : second, columns);
  const std::vector<Layout::Index> steps = combinations();
  const auto length = static_cast<std::int64_t>(steps.size());
  const std::int64_t block = std::clamp<std::int64_t>(kBlockNumbers / width, 4, 256);
  Numbers from_left(static_cast<std::size_t>(height * block)),
      from_right(static_cast<std::size_t>(width * block)),
      sums(static_cast<std::size_t>(height * width));
  std::atomic<bool> beside = false;  // a factor outside of its source
  Numbers made(result, result + std::accumulate(extents_.begin(), extents_.end(), std::int64_t{1},
                                                std::multiplies<>()));
  const auto place = [&](std::int64_t base, std::int64_t i, std::int64_t j) {
    return static_cast<std::size_t>(base + row_numbers[static_cast<std::size_t>(i)] +
                                    column_numbers[static_cast<std::size_t>(j)]);
  };
  Layout::Index at{};
  for (const std::int64_t base : both_numbers) {
    for (std::int64_t i = 0; i < height; ++i) {
      for (std::int64_t j = 0; j < width; ++j)
        sums[static_cast<std::size_t>(i * width + j)] = made[place(base, i, j)];
    }
    for (std::int64_t begin = 0; begin < length; begin += block) {
      const std::int64_t count = std::min(block, length - begin);
      const DenseSums dense{.left = from_left.data(),
                            .right = from_right.data(),
                            .sums = sums.data(),
                            .rows = height,
                            .steps = count,
                            .columns = width};
      const auto gather = [&](std::int64_t k, std::int64_t end) {
        for (; k < end; ++k) {
          const Layout::Index& step = steps[static_cast<std::size_t>(begin + k)];
          const bool left_inside = of_left.visit(at, step, [&](std::int64_t i, double factor) {
            from_left[static_cast<std::size_t>(i * count + k)] = factor;
          });
          const bool right_inside = of_right.visit(at, step, [&](std::int64_t j, double factor) {
            from_right[static_cast<std::size_t>(dense.right_place(k, j))] = factor;
          });
          if (!left_inside || !right_inside) beside.store(true, std::memory_order_relaxed);
        }
      };
      parallel_ranges(count, std::max<std::int64_t>(1, 65536 / width), gather);
      add_products(dense);
    }
    for (std::int64_t i = 0; i < height; ++i) {
      for (std::int64_t j = 0; j < width; ++j)
        made[place(base, i, j)] = sums[static_cast<std::size_t>(i * width + j)];
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
