#include "tensorlane/layout/packing_slices.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <unordered_map>

#include "tensorlane/base/language.h"

namespace tensorlane {
namespace {

constexpr std::int64_t kShown = 8;

template <class Visit>
void for_each_index(const Layout& shape, const Visit& visit) {
  Layout::Index index{};
  for (std::int64_t i = 0; i < shape.size(); ++i) {
    visit(index);
    for (int d = shape.rank() - 1; d >= 0 && ++index[d] == shape.extent(d); --d) index[d] = 0;
  }
}

// A number for the elements of each slice in their order.
std::vector<std::uint64_t> hashes(const Layout& shape, int dim, const BitsAtIndex& bits) {
  std::vector<std::uint64_t> all(static_cast<std::size_t>(shape.extent(dim)),
                                 14695981039346656037U);
  for_each_index(shape, [&](const Layout::Index& index) {
    std::uint64_t& hash = all[static_cast<std::size_t>(index[dim])];
    hash = (hash ^ bits(index)) * 1099511628211U;
    hash ^= hash >> 29U;
  });
  return all;
}

}  // namespace

std::vector<std::int64_t> order_of_slices(const Layout& shape, int dim, const BitsAtIndex& found,
                                          const BitsAtIndex& expected) {
  if (shape.size() == 0 || shape.extent(dim) < 2) return {};
  const std::vector<std::uint64_t> want = hashes(shape, dim, expected),
                                   got = hashes(shape, dim, found);
  if (want == got) return {};
  std::unordered_map<std::uint64_t, std::vector<std::int64_t>>
      free;  // slices of each hash, last first
  for (std::int64_t i = std::ssize(want); i-- > 0;) {
    const auto at = static_cast<std::size_t>(i);
    if (want[at] != got[at]) free[want[at]].push_back(i);
  }
  std::vector<std::int64_t> order;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (want[i] == got[i]) {
      order.push_back(static_cast<std::int64_t>(i));
      continue;
    }
    const auto slices = free.find(got[i]);
    if (slices == free.end() || slices->second.empty()) return {};
    order.push_back(slices->second.back());
    slices->second.pop_back();
  }
  // Hashes may be equal where elements are not.
  bool right = true;
  for_each_index(shape, [&](const Layout::Index& index) {
    Layout::Index from = index;
    from[dim] = order[static_cast<std::size_t>(index[dim])];
    right = right && found(index) == expected(from);
  });
  return right ? order : std::vector<std::int64_t>();
}

std::string words_of_order(std::string_view axis, std::span<const std::int64_t> order) {
  const std::int64_t n = std::ssize(order);
  const auto all = [&](std::int64_t low, std::int64_t high, const auto& rule) {
    for (std::int64_t i = low; i <= high; ++i) {
      if (order[static_cast<std::size_t>(i)] != rule(i)) return false;
    }
    return true;
  };
  const std::int64_t first = order[0];
  if (all(0, n - 1, [&](std::int64_t i) { return (i + first) % n; }))
    return tr("{} is rotated by {}: {} 0 holds what belongs to {}", axis, first, axis, first);
  std::int64_t low = 0, high = n - 1, moved = 0;
  while (low < high && order[static_cast<std::size_t>(low)] == low) ++low;
  while (high > low && order[static_cast<std::size_t>(high)] == high) --high;
  for (std::int64_t i = 0; i < n; ++i) moved += order[static_cast<std::size_t>(i)] != i;
  if (moved == 2) return tr("{} {} and {} {} are swapped", axis, low, axis, high);
  if (all(low, high, [&](std::int64_t i) { return low + high - i; }))
    return tr("{} {} to {} run backwards", axis, low, high);
  const auto shown = order.subspan(0, static_cast<std::size_t>(std::min(n, kShown)));
  return tr("the slices of {} stand in the order {}{}", axis, fmt::join(shown, ", "),
            n > kShown ? ", ..." : "");
}

}  // namespace tensorlane
