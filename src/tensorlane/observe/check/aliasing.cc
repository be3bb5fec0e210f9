#include "tensorlane/observe/check/aliasing.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "tensorlane/layout/local.h"

namespace tensorlane::check {
namespace {

// The digits of a dimension that any element uses: where all channels fit one slot of the NPUs, the
// distance of slots does not matter.
std::vector<Digit> used_digits(const Layout& layout, int dim) {
  std::vector<Digit> used;
  std::int64_t values = layout.offset(dim) + layout.extent(dim);
  for (const Digit& digit : layout.digits(dim)) {
    if (values <= 1) break;
    used.push_back({std::min(digit.extent, values), digit.stride});
    values = ceil_div(values, digit.extent);
  }
  if (values > 1 && !used.empty()) used.back().extent *= values;  // the outermost has no limit
  return used;
}

// The first `dims` dimensions have the same extents, and `holds` of the strides of every digit.
template <class Holds>
bool digits_match(const Layout& to, const Layout& from, int dims, Holds holds) {
  for (int d = 0; d < dims; ++d) {
    if (to.extent(d) != from.extent(d) || to.offset(d) != from.offset(d)) return false;
    if (!std::ranges::equal(used_digits(to, d), used_digits(from, d), [&](Digit a, Digit b) {
          return a.extent == b.extent && holds(a.stride, b.stride);
        })) {
      return false;
    }
  }
  return true;
}

bool begin_alike(const Layout& to, const Layout& from) {
  return to.base() == from.base() && to.unit_bits() == from.unit_bits() && to.rank() == from.rank();
}

bool same_addresses(const Layout& to, const Layout& from) {
  return begin_alike(to, from) && to.element_units() == from.element_units() &&
         digits_match(to, from, to.rank(), std::equal_to<>());
}

// No element of the result begins behind the element of the source it is made of: both begin at the
// same byte and the strides of the result are the same or smaller in every dimension.
bool narrows(const Layout& to, const Layout& from) {
  return begin_alike(to, from) && to.element_units() < from.element_units() &&
         digits_match(to, from, to.rank(), std::less_equal<>());
}

// Every element of the source lies where the result has its first copy: the source does not change.
bool spreads_from_its_place(const Layout& to, const Layout& from) {
  if (!begin_alike(to, from) || to.element_units() != from.element_units()) return false;
  Layout spread(from.dtype());
  spread.set_base(from.base());
  for (int d = 0; d < from.rank(); ++d) {
    if (from.extent(d) == 1) {
      spread.add_dim(to.extent(d), to.digits(d), to.offset(d));
    } else {
      spread.add_dim(from.extent(d), from.digits(d), from.offset(d));
    }
  }
  return digits_match(to, spread, to.rank(), [](std::int64_t result, std::int64_t source) {
    return result == source || source == 0;
  });
}

// One element per channel, at the beginning of that channel of the source.
bool reduces_in_place(const Layout& to, const Layout& from) {
  return begin_alike(to, from) && to.element_units() == from.element_units() && to.rank() == 4 &&
         to.extent(2) == 1 && to.extent(3) == 1 && digits_match(to, from, 2, std::equal_to<>());
}

bool in_place(const AliasOperand& a, const AliasOperand& b, bool copies) {
  if (a.work || b.work || (a.write && b.write && !a.read && !b.read)) return false;
  if (a.shape_class == b.shape_class && same_addresses(*a.layout, *b.layout)) return true;
  if (a.write == b.write) return false;
  const Layout &to = a.write ? *a.layout : *b.layout, &from = a.write ? *b.layout : *a.layout;
  return (a.shape_class == b.shape_class && narrows(to, from)) ||
         (a.channel_class == b.channel_class && reduces_in_place(to, from)) ||
         (copies && spreads_from_its_place(to, from));
}

// A batch of the result that overlaps a batch of the source which is not yet read, or another
// element of the batch it is made of.
bool spoils(const Layout& to, std::int64_t written, const Layout& from, std::int64_t read) {
  const Layout result = to.slice(0, written, 1), source = from.slice(0, read, 1);
  return overlap(trail::footprint(result), trail::footprint(source)) &&
         !(written == read && same_addresses(result, source));
}

bool harmless_by_batches(const AliasOperand& a, const AliasOperand& b) {
  constexpr std::int64_t kMostBatches = 4096, kMostPairs = 4096;  // to look at
  if (a.work || b.work || a.write == b.write || a.shape_class != b.shape_class) return false;
  const Layout &to = a.write ? *a.layout : *b.layout, &from = a.write ? *b.layout : *a.layout;
  if (to.rank() != 4 || from.rank() != 4 || to.extent(0) != from.extent(0)) return false;
  const std::int64_t batches = to.extent(0);
  // With the same distance of batches only their difference counts.
  const bool alike = to.digits(0).size() == 1 && from.digits(0).size() == 1 &&
                     to.digits(0)[0].stride == from.digits(0)[0].stride;
  if (batches > kMostBatches || (!alike && batches * batches > kMostPairs)) return false;
  for (std::int64_t written = 0; written < (alike ? 1 : batches); ++written) {
    for (std::int64_t read = written; read < batches; ++read) {
      if (spoils(to, written, from, read)) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<std::int64_t> bytes_of_overlapping(const Layout& layout,
                                                 const trail::Footprint& bytes) {
  if (layout.nested()) return std::nullopt;  // quick, and nearly always so
  std::vector<Digit> loops;
  for (int d = 0; d < layout.rank(); ++d) {
    const std::vector<Digit> used = used_digits(layout, d);
    loops.insert(loops.end(), used.begin(), used.end());
  }
  std::ranges::sort(loops, {}, &Digit::stride);
  // Each dimension steps over what those inside it reach.
  std::int64_t reach = layout.element_units();
  const bool apart = std::ranges::all_of(loops, [&](const Digit& loop) {
    const bool steps_over = loop.extent <= 1 || loop.stride >= reach;
    reach += (loop.extent - 1) * loop.stride;
    return steps_over;
  });
  if (apart) return std::nullopt;
  std::int64_t distinct = 0;
  for (const trail::Range& run : runs(bytes)) distinct += run.bytes();
  const std::int64_t needed = layout.size() * layout.element_units() * layout.unit_bits() / 8;
  return distinct < needed ? std::optional(distinct) : std::nullopt;
}

std::vector<ForbiddenOverlap> forbidden_overlaps(std::span<const AliasOperand> operands,
                                                 Making making) {
  std::vector<ForbiddenOverlap> found;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    for (std::size_t j = i + 1; j < operands.size(); ++j) {
      const AliasOperand &a = operands[i], &b = operands[j];
      if (a.memory != b.memory || !(a.write || b.write) || !overlap(a.bytes, b.bytes)) continue;
      if (in_place(a, b, making == Making::kCopies)) continue;
      found.push_back({static_cast<int>(i), static_cast<int>(j),
                       making != Making::kAnything && harmless_by_batches(a, b)});
    }
  }
  return found;
}

}  // namespace tensorlane::check
