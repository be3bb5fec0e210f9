// Mistakes along the axes: their elements in another order, or one index for another.
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "tensorlane/base/language.h"
#include "tensorlane/layout/packing_mistakes_internal.h"
#include "tensorlane/layout/packing_slices.h"

namespace tensorlane::packing_internal {
namespace {

// Of an axis of one digit: from the far end.
Layout backwards(const Layout& plain, int dim) {
  return edited(plain, dim, [&](std::vector<Digit>& digits, std::int64_t& base) {
    base += digits[0].stride * (plain.extent(dim) - 1);
    digits[0].stride = -digits[0].stride;
  });
}

std::string order_words(const Explanation& sought, const std::vector<int>& order) {
  std::vector<std::string> names;
  std::vector<int> moved;
  for (std::size_t k = 0; k < order.size(); ++k) {
    names.push_back(sought.axis(order[k]));
    if (order[k] != static_cast<int>(k)) moved.push_back(static_cast<int>(k));
  }
  const std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (moved.size() == 2) {
    return tr("{} and {} are swapped: the original was taken as ({})", sought.axis(moved[0]),
              sought.axis(moved[1]), text);
  }
  return tr("the axes are in another order: the original was taken as ({})", text);
}

// The array was transposed, and packed with the shape that it had before.
void turned_mistakes(Explanation& sought) {
  const WrongPacking& wrong = sought.wrong();
  const Layout &target = sought.target(), &plain = sought.plain();
  const int rank = target.rank();
  std::vector<int> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  while (!sought.explained() && rank <= 5 && std::next_permutation(order.begin(), order.end())) {
    Layout::Index index{}, turned{};
    bool right = true;
    for (std::int64_t i = 0; right && i < target.size(); ++i) {
      const std::int64_t at = target.address(index);
      right =
          inside(target, at, wrong.packed.size()) &&
          bits_at(target, wrong.packed, at) == bits_at(plain, wrong.plain, plain.address(turned));
      for (int d = rank - 1; d >= 0 && ++index[d] == target.extent(d); --d) index[d] = 0;
      for (int k = rank - 1; k >= 0; --k) {
        const int d = order[static_cast<std::size_t>(k)];
        if (++turned[d] < target.extent(d)) break;
        turned[d] = 0;
      }
    }
    if (!right || target.size() == 0) continue;
    std::vector<std::string> names;
    for (const int d : order) names.push_back(sought.axis(d));
    sought.explain(tr("it was turned to ({}) first and packed with the shape from before",
                      fmt::join(names, ", ")));
  }
}

}  // namespace

void axis_mistakes(Explanation& sought) {
  const Layout &target = sought.target(), &plain = sought.plain();
  const int rank = target.rank();
  std::vector<int> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  while (rank <= 5 && std::next_permutation(order.begin(), order.end())) {
    // The elements of the array, taken as if its axes stood in this order.
    std::vector<std::int64_t> strides(static_cast<std::size_t>(rank));
    std::int64_t stride = plain.element_units();
    for (int k = rank - 1; k >= 0; --k) {
      const int d = order[static_cast<std::size_t>(k)];
      strides[static_cast<std::size_t>(d)] = stride;
      stride *= plain.extent(d);
    }
    Layout read(plain.dtype());
    for (int d = 0; d < rank; ++d)
      read.add_dim(plain.extent(d), {{1, strides[static_cast<std::size_t>(d)]}});
    if (read.same_addresses(plain)) continue;
    sought.suspect(target, read, [&] { return order_words(sought, order); });
  }
  turned_mistakes(sought);
  for (int d = 0; d < rank; ++d) {
    if (plain.extent(d) < 2) continue;
    sought.suspect(target, backwards(plain, d),
                   [&] { return tr("{} runs backwards", sought.axis(d)); });
    for (int e = d + 1; e < rank; ++e) {
      if (plain.extent(e) < 2) continue;
      sought.suspect(target, backwards(backwards(plain, d), e), [&] {
        return tr("{} and {} run backwards: turned by half", sought.axis(d), sought.axis(e));
      });
    }
    sought.suspect(
        target,
        edited(plain, d, [](std::vector<Digit>& digits, std::int64_t&) { digits[0].stride = 0; }),
        [&] { return tr("every {} holds what belongs to {} 0", sought.axis(d), sought.axis(d)); });
  }
}

void neighbour_mistakes(Explanation& sought) {
  const Layout &target = sought.target(), &plain = sought.plain();
  for (int d = 0; d < target.rank(); ++d) {
    for (std::int64_t by = 1; by <= 4 && by < plain.extent(d); ++by) {
      const std::int64_t rest = plain.extent(d) - by;
      sought.suspect(target.slice(d, 0, rest), plain.slice(d, by, rest), [&] {
        return tr("{} is off by {}: {} 0 holds what belongs to {}", sought.axis(d), by,
                  sought.axis(d), by);
      });
      sought.suspect(target.slice(d, by, rest), plain.slice(d, 0, rest), [&] {
        return tr("{} is off by {}: {} {} holds what belongs to 0", sought.axis(d), by,
                  sought.axis(d), by);
      });
    }
  }
}

void slice_mistakes(Explanation& sought) {
  const WrongPacking& wrong = sought.wrong();
  const Layout &target = sought.target(), &plain = sought.plain();
  const auto packed = [&](const Layout::Index& index) {
    const std::int64_t at = target.address(index);
    return inside(target, at, wrong.packed.size()) ? bits_at(target, wrong.packed, at) : Bits{0};
  };
  const auto right = [&](const Layout::Index& index) {
    return bits_at(plain, wrong.plain, plain.address(index));
  };
  for (int d = 0; !sought.explained() && d < target.rank(); ++d) {
    const std::vector<std::int64_t> order = order_of_slices(target, d, packed, right);
    if (!order.empty()) sought.explain(words_of_order(sought.axis(d), order));
  }
}

}  // namespace tensorlane::packing_internal
