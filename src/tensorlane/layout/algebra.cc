#include "tensorlane/layout/algebra.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/layout/fold.h"
#include "tensorlane/layout/notation.h"

namespace tensorlane {
namespace {

constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();

// An axis with the extent of its outermost digit, which a Layout leaves to the axis.
struct FullAxis {
  std::vector<Digit> digits;  // innermost first, strides in units
  std::int64_t extent, offset;

  // Whether the indices are all the places of the digits.
  bool whole() const {
    std::int64_t places = 1;
    for (const Digit& digit : digits) places *= digit.extent;
    return offset == 0 && places == extent;
  }
};

FullAxis full_axis(const Layout& layout, int d) {
  FullAxis axis{{}, layout.extent(d), layout.offset(d)};
  std::int64_t highest = std::max<std::int64_t>(0, axis.offset + axis.extent - 1);
  const std::span<const Digit> digits = layout.digits(d);
  for (std::size_t k = 0; k < digits.size(); ++k) {
    // Digits that no index reaches are none.
    const bool outermost = k + 1 == digits.size() || highest < digits[k].extent;
    axis.digits.push_back({outermost ? highest + 1 : digits[k].extent, digits[k].stride});
    if (outermost) break;
    highest /= digits[k].extent;
  }
  return axis;
}

Layout with_axes(const Layout& like, const std::vector<FullAxis>& axes) {
  std::size_t count = 0;
  for (const FullAxis& axis : axes) count += std::max<std::size_t>(1, axis.digits.size());
  if (axes.size() > Layout::kMaxDims || count > Layout::kMaxDigits) {
    user_error("the layout would have {} axes of {} digits in all; at most {} and {}", axes.size(),
               count, Layout::kMaxDims, Layout::kMaxDigits);
  }
  Layout result(like.dtype());
  for (const FullAxis& axis : axes) {
    std::vector<Digit> digits = axis.digits;
    if (digits.empty()) digits.push_back({1, 0});
    digits.back().extent = 1;  // as named layouts have it: the axis is the limit
    result.add_dim(axis.extent, digits, axis.offset);
  }
  result.set_base(like.base());
  if (like.space() != AddressSpace::kLocal) return result;
  for (int d = 0; d < result.rank(); ++d) {
    for (std::size_t k = 0; k < result.digits(d).size(); ++k) {
      if (result.digits(d)[k].stride == like.npu_units())
        return result.set_local(like.npu_bytes(), d, static_cast<int>(k));
    }
  }
  return result;
}

[[noreturn]] void not_composed(const Layout& outer, const Layout& inner, std::int64_t extent,
                               std::int64_t step) {
  user_error("{} after {}: {} steps of {} do not divide the digits of the first", notation(outer),
             notation(inner), extent, step);
}

// The digits of a flat layout, and how far the digits of an inner one reach into each.
class Composer {
 public:
  Composer(const Layout& outer, const Layout& inner)
      : outer_(outer), inner_(inner), flat_(full_axis(flattened(outer), 0)) {
    reached_.assign(flat_.digits.size(), 0);
    enter(inner.base() / inner.element_units() + flat_.offset);
  }

  std::int64_t base() const { return outer_.base() + base_; }

  // `extent` steps of `step` elements; `last`: the axis ends with it, places beyond are no indices.
  void add(std::vector<Digit>& out, std::int64_t extent, std::int64_t step, bool last) {
    if (extent == 1 || step == 0) {
      out.push_back({extent, 0});
      return;
    }
    std::size_t at = 0;
    std::int64_t rest = step;
    for (; at + 1 < flat_.digits.size() && rest % flat_.digits[at].extent == 0; ++at)
      rest /= flat_.digits[at].extent;
    for (std::int64_t left = extent; left > 1; ++at, rest = 1) {
      if (step < 0 || at == flat_.digits.size()) fail(extent, step);
      const Digit& digit = flat_.digits[at];
      const bool outermost = at + 1 == flat_.digits.size();
      if (!outermost && digit.extent % rest != 0) fail(extent, step);
      const std::int64_t room = outermost ? kNoEnd : digit.extent / rest;
      const std::int64_t steps = std::min(left, room);
      if (steps > 1) {
        out.push_back({steps, digit.stride * rest});
        reach(at, (steps - 1) * rest, extent, step);
      }
      if (left > room && left % room != 0 && !last) fail(extent, step);
      left = (left + steps - 1) / steps;
    }
  }

 private:
  [[noreturn]] void fail(std::int64_t extent, std::int64_t step) const {
    not_composed(outer_, inner_, extent, step);
  }
  // The first element, digit by digit.
  void enter(std::int64_t number) {
    for (std::size_t k = 0; k < flat_.digits.size(); ++k) {
      const bool outermost = k + 1 == flat_.digits.size();
      const std::int64_t value = outermost ? number : number % flat_.digits[k].extent;
      reached_[k] = value;
      base_ += value * flat_.digits[k].stride;
      number /= flat_.digits[k].extent;
    }
  }
  // Sums of digits must not carry: then they, and only they, are digits of the sum.
  void reach(std::size_t k, std::int64_t most, std::int64_t extent, std::int64_t step) {
    reached_[k] += most;
    if (k + 1 < flat_.digits.size() && reached_[k] >= flat_.digits[k].extent) fail(extent, step);
  }

  const Layout& outer_;
  const Layout& inner_;
  FullAxis flat_;
  std::vector<std::int64_t> reached_;
  std::int64_t base_ = 0;
};

void check_plain(const Layout& layout, const char* what) {
  if (layout.swizzle())
    user_error("{}: {} has a swizzle, which no stride describes", notation(layout), what);
}

}  // namespace

Layout coalesced(const Layout& layout) {
  std::vector<FullAxis> axes;
  for (int d = 0; d < layout.rank(); ++d) {
    FullAxis axis = full_axis(layout, d);
    std::vector<Digit> kept;
    for (const Digit& digit : axis.digits) {
      if (digit.extent == 1) continue;
      if (!kept.empty() && kept.back().extent * kept.back().stride == digit.stride) {
        kept.back().extent *= digit.extent;
      } else {
        kept.push_back(digit);
      }
    }
    axis.digits = kept;
    axes.push_back(axis);
  }
  Layout result = with_axes(layout, axes);
  return result.set_swizzle(layout.swizzle());
}

Layout flattened(const Layout& layout) {
  FullAxis flat{{}, layout.size(), 0};
  for (int d = layout.rank() - 1; d >= 0; --d) {
    const FullAxis axis = full_axis(layout, d);
    if (d > 0 && !axis.whole()) {
      user_error("{}: axis {} begins or ends inside its digits; only the first axis may",
                 notation(layout), d);
    }
    flat.digits.insert(flat.digits.end(), axis.digits.begin(), axis.digits.end());
    if (d == 0 && axis.offset != 0) {
      std::int64_t inner = 1;
      for (int k = 1; k < layout.rank(); ++k) inner *= layout.extent(k);
      flat.offset = axis.offset * inner;
    }
  }
  std::erase_if(flat.digits, [](const Digit& digit) { return digit.extent == 1; });
  Layout result = with_axes(layout, {flat});
  return result.set_swizzle(layout.swizzle());
}

Layout composition(const Layout& outer, const Layout& inner) {
  check_plain(inner, tr("what is applied first").c_str());
  const std::int64_t unit = inner.element_units();
  if (inner.size() > 0 && inner.base() % unit != 0)
    user_error("{}: its base is no whole element", notation(inner));
  const Layout::Bounds reach = inner.bounds();
  if (reach.begin < 0 || reach.end > outer.size() * unit) {
    user_error("{} after {}: the second gives numbers {} to {}, the first has {} elements",
               notation(outer), notation(inner), reach.begin / unit, reach.end / unit - 1,
               outer.size());
  }
  Composer composer(outer, inner);
  std::vector<FullAxis> axes;
  for (int d = 0; d < inner.rank(); ++d) {
    const FullAxis axis = full_axis(inner, d);
    FullAxis result{{}, axis.extent, axis.offset};
    for (std::size_t k = 0; k < axis.digits.size(); ++k) {
      const Digit& digit = axis.digits[k];
      if (digit.stride % unit != 0)
        user_error("{}: its strides are no whole elements", notation(inner));
      composer.add(result.digits, digit.extent, digit.stride / unit, k + 1 == axis.digits.size());
    }
    axes.push_back(result);
  }
  return with_axes(outer, axes).set_base(composer.base()).set_swizzle(outer.swizzle());
}

Layout complement(const Layout& layout, std::int64_t size) {
  check_plain(layout, tr("what is completed").c_str());
  const std::int64_t unit = layout.element_units();
  std::vector<Digit> digits;
  for (int d = 0; d < layout.rank(); ++d) {
    const FullAxis axis = full_axis(layout, d);
    if (!axis.whole()) {
      user_error("{}: axis {} begins or ends inside its digits, its gaps have no stride",
                 notation(layout), d);
    }
    for (const Digit& digit : axis.digits) {
      if (digit.extent > 1) digits.push_back({digit.extent, digit.stride});
    }
  }
  std::ranges::sort(digits, {}, &Digit::stride);
  FullAxis rest{{}, 1, 0};
  std::int64_t reached = unit;
  for (const Digit& digit : digits) {
    if (digit.stride < reached || digit.stride % reached != 0) {
      user_error("{}: a stride of {} elements is no multiple of the {} that the digits below span",
                 notation(layout), digit.stride / unit, reached / unit);
    }
    if (digit.stride > reached) rest.digits.push_back({digit.stride / reached, reached});
    reached = digit.stride * digit.extent;
  }
  const std::int64_t wanted = size * unit;
  if (wanted > reached) rest.digits.push_back({(wanted + reached - 1) / reached, reached});
  for (const Digit& digit : rest.digits) rest.extent *= digit.extent;
  Layout result = with_axes(layout, {rest});
  return result.set_base(0);
}

Inverse::Inverse(const Layout& layout) : layout_(layout), first_(layout.base()) {
  for (int d = 0; d < layout.rank(); ++d) {
    const FullAxis axis = full_axis(layout, d);
    start_[static_cast<std::size_t>(d)] = -axis.offset;
    std::int64_t weight = 1;
    std::int64_t highest = axis.offset + axis.extent - 1, lowest = axis.offset;
    for (std::size_t k = 0; k < axis.digits.size(); ++k) {
      const Digit& digit = axis.digits[k];
      const bool outermost = k + 1 == axis.digits.size();
      // Only values that indices take: a start NPU's first row may be the only one.
      const std::int64_t low = outermost ? lowest : 0;
      const std::int64_t high = outermost ? highest : std::min(highest, digit.extent - 1);
      Step step{digit.stride, high - low + 1, d, weight};
      start_[static_cast<std::size_t>(d)] += low * weight;
      first_ += low * digit.stride;
      if (step.stride < 0) {  // from its far end
        start_[static_cast<std::size_t>(d)] += (step.extent - 1) * weight;
        first_ += (step.extent - 1) * digit.stride;
        step.stride = -step.stride;
        step.weight = -weight;
      }
      if (step.extent > 1) (step.stride == 0 ? repeats_ : steps_).push_back(step);
      weight *= digit.extent;
      highest /= digit.extent;
      lowest /= digit.extent;
    }
    // A broadcast axis has index 0 everywhere.
    if (std::ranges::all_of(axis.digits, [](const Digit& digit) { return digit.stride == 0; })) {
      start_[static_cast<std::size_t>(d)] = 0;
      std::erase_if(repeats_, [&](const Step& step) { return step.axis == d; });
    }
  }
  std::ranges::stable_sort(steps_, std::greater<>(), &Step::stride);
  std::int64_t reach = layout.element_units();
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    if (step->stride < reach) {
      user_error("{}: a step of {} elements interleaves with the {} that smaller ones span",
                 notation(layout), step->stride / layout.element_units(),
                 reach / layout.element_units());
    }
    reach += (step->extent - 1) * step->stride;
  }
}

std::optional<Layout::Index> Inverse::element_at(std::int64_t address) const {
  if (layout_.size() == 0 || address < 0) return std::nullopt;
  std::int64_t rest = layout_.swizzled(address) - first_;
  if (rest < 0) return std::nullopt;
  Layout::Index index = start_;
  for (const Step& step : steps_) {
    const std::int64_t value = rest / step.stride;
    if (value >= step.extent) return std::nullopt;
    rest -= value * step.stride;
    index[static_cast<std::size_t>(step.axis)] += value * step.weight;
  }
  if (rest >= layout_.element_units()) return std::nullopt;
  first_of_repeats(index);
  for (int d = 0; d < layout_.rank(); ++d) {
    const std::int64_t at = index[static_cast<std::size_t>(d)];
    if (at < 0 || at >= layout_.extent(d)) return std::nullopt;
  }
  return index;
}

// Of the indices that share a place the first: a digit of stride 0 takes its least value, or where
// the axis begins inside its digits the least that reaches index 0.
void Inverse::first_of_repeats(Layout::Index& index) const {
  for (auto step = repeats_.rbegin(); step != repeats_.rend(); ++step) {
    std::int64_t below = 0;  // what the smaller ones can add
    for (const Step& other : repeats_) {
      if (other.axis == step->axis && other.weight < step->weight)
        below += other.weight * (other.extent - 1);
    }
    std::int64_t& at = index[static_cast<std::size_t>(step->axis)];
    const std::int64_t short_by = -at - below;
    if (short_by <= 0) continue;
    const std::int64_t steps = (short_by + step->weight - 1) / step->weight;
    at += step->weight * std::min(steps, step->extent - 1);
  }
}

std::string Inverse::text(const Axes& axes) const {
  const std::int64_t unit = layout_.element_units();
  std::string place = "p";
  if (first_ != 0)
    place = fmt::format("(p {} {})", first_ < 0 ? '+' : '-', std::abs(first_ / unit));
  if (const Swizzle swizzle = layout_.swizzle()) {
    place = fmt::format("sw<{},{},{}>(p)", swizzle.bits, swizzle.low, swizzle.distance);
    if (first_ != 0) place = fmt::format("({} - {})", place, first_ / unit);
  }
  std::vector<std::string> terms(static_cast<std::size_t>(layout_.rank())), padding;
  std::int64_t modulus = 0;  // what the larger strides leave
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    const Step& step = steps_[k];
    const std::int64_t stride = step.stride / unit;
    const auto axis = static_cast<std::size_t>(step.axis);
    std::string value = place;
    // Strides that divide each other leave one remainder; others keep the chain of them.
    if (modulus != 0 && modulus % stride == 0 && stride != 1) {
      value = fmt::format("{} / {} % {}", place, stride, modulus / stride);
    } else {
      if (modulus != 0) value += fmt::format(" % {}", modulus);
      if (stride != 1) value += fmt::format(" / {}", stride);
    }
    const std::int64_t room = modulus == 0 ? 0 : modulus / stride;
    if (room > step.extent) padding.push_back(fmt::format("{} > {}", value, step.extent - 1));
    if (modulus != 0 && modulus % stride != 0) place = fmt::format("({} % {})", place, modulus);
    modulus = stride;
    std::string term = step.weight == 1 ? value : fmt::format("{} * ({})", step.weight, value);
    terms[axis] += terms[axis].empty() ? term : " + " + term;
  }
  if (modulus > 1) padding.push_back(fmt::format("{} % {} > 0", place, modulus));
  std::vector<std::string> parts;
  for (int d = 0; d < layout_.rank(); ++d) {
    const auto axis = static_cast<std::size_t>(d);
    std::string value = terms[axis].empty() ? std::to_string(start_[axis]) : terms[axis];
    if (!terms[axis].empty() && start_[axis] != 0)
      value += fmt::format(" {} {}", start_[axis] < 0 ? '-' : '+', std::abs(start_[axis]));
    parts.push_back(fmt::format("{} = {}", axis_name(axes[d]), value));
    std::int64_t least = start_[axis], most = start_[axis];
    for (const Step& step : steps_) {
      if (step.axis == d) (step.weight < 0 ? least : most) += step.weight * (step.extent - 1);
    }
    if (least < 0) padding.push_back(fmt::format("{} < 0", axis_name(axes[d])));
    if (most >= layout_.extent(d))
      padding.push_back(fmt::format("{} > {}", axis_name(axes[d]), layout_.extent(d) - 1));
  }
  std::string text = fmt::format("{}", fmt::join(parts, ", "));
  if (!padding.empty()) text += tr("; no element where {}", fmt::join(padding, tr(" or ")));
  return text;
}

Layout inverse_layout(const Layout& layout) {
  check_plain(layout, tr("what is inverted").c_str());
  const Layout flat = flattened(layout);
  const FullAxis axis = full_axis(flat, 0);
  const std::int64_t unit = layout.element_units();
  struct Place {
    std::int64_t extent, stride, number;
  };
  std::vector<Place> places;
  std::int64_t number = 1;
  for (const Digit& digit : axis.digits) {
    if (digit.extent > 1) places.push_back({digit.extent, digit.stride, number});
    number *= digit.extent;
  }
  std::ranges::sort(places, {}, &Place::stride);
  FullAxis result{{}, layout.size(), 0};
  std::int64_t reached = unit;
  for (const Place& place : places) {
    if (place.stride != reached || layout.base() != 0 || !axis.whole()) {
      user_error("{} leaves places without an element: its inverse is no layout", notation(layout));
    }
    result.digits.push_back({place.extent, place.number * unit});
    reached *= place.extent;
  }
  Layout inverse = with_axes(layout, {result});
  return inverse.set_base(0);
}

Layout divided(const Layout& layout, std::span<const std::int64_t> tile) {
  if (static_cast<int>(tile.size()) != layout.rank()) {
    user_error("tile [{}] has {} extents; {} has {} axes", fmt::join(tile, ","), tile.size(),
               notation(layout), layout.rank());
  }
  std::vector<FullAxis> outer, inner;
  for (int d = 0; d < layout.rank(); ++d) {
    const FullAxis axis = full_axis(layout, d);
    const std::int64_t extent = tile[static_cast<std::size_t>(d)];
    if (extent < 1 || axis.extent % extent != 0 || axis.offset % extent != 0) {
      user_error("tile [{}]: {} does not divide axis {} of {}, {} indices from place {} on",
                 fmt::join(tile, ","), extent, d, notation(layout), axis.extent, axis.offset);
    }
    FullAxis in{{}, extent, 0}, out{{}, axis.extent / extent, axis.offset / extent};
    std::int64_t left = extent;
    for (const Digit& digit : axis.digits) {
      const std::int64_t inside = std::min(left, digit.extent);
      if (digit.extent % inside != 0 || left % inside != 0) {
        user_error("tile [{}]: {} ends inside a digit of {} of axis {} of {}", fmt::join(tile, ","),
                   extent, digit.extent, d, notation(layout));
      }
      if (inside > 1) in.digits.push_back({inside, digit.stride});
      if (digit.extent > inside)
        out.digits.push_back({digit.extent / inside, digit.stride * inside});
      left /= inside;
    }
    if (left > 1) {  // the outermost digit of an axis has no end
      user_error("tile [{}]: {} ends inside a digit of axis {} of {}", fmt::join(tile, ","), extent,
                 d, notation(layout));
    }
    outer.push_back(out);
    inner.push_back(in);
  }
  outer.insert(outer.end(), inner.begin(), inner.end());
  return with_axes(layout, outer).set_swizzle(layout.swizzle());
}

Layout tiled(const Layout& tile, const Layout& grid) {
  check_plain(tile, tr("a tile").c_str());
  check_plain(grid, tr("a grid of tiles").c_str());
  if (tile.rank() != grid.rank() || tile.base() != 0) {
    user_error("{} in {}: tile and grid have as many axes, and the tile begins at 0",
               notation(tile), notation(grid));
  }
  const std::int64_t span = tile.loose_bounds(false).end;
  std::vector<FullAxis> axes;
  for (int d = 0; d < tile.rank(); ++d) {
    FullAxis axis = full_axis(tile, d);
    const FullAxis over = full_axis(grid, d);
    if (!axis.whole()) {
      user_error("{}: axis {} begins or ends inside its digits and cannot be repeated",
                 notation(tile), d);
    }
    for (const Digit& digit : over.digits)
      axis.digits.push_back({digit.extent, digit.stride / grid.element_units() * span});
    axis.offset = over.offset * axis.extent;
    axis.extent *= over.extent;
    std::erase_if(axis.digits, [](const Digit& digit) { return digit.extent == 1; });
    axes.push_back(axis);
  }
  return with_axes(tile, axes).set_base(grid.base() / grid.element_units() * span);
}

Layout fixed(const Layout& layout, int axis, std::int64_t index) {
  if (axis < 0 || axis >= layout.rank() || index < 0 || index >= layout.extent(axis)) {
    user_error("{}: no index {} along axis {}", notation(layout), index, axis);
  }
  std::vector<FullAxis> axes;
  for (int d = 0; d < layout.rank(); ++d) {
    if (d != axis) axes.push_back(full_axis(layout, d));
  }
  std::int64_t base = layout.base(), at = index + layout.offset(axis);
  const FullAxis out = full_axis(layout, axis);
  for (const Digit& digit : out.digits) {
    base += at % digit.extent * digit.stride;
    at /= digit.extent;
  }
  return with_axes(layout, axes).set_base(base).set_swizzle(layout.swizzle());
}

bool same_places(const Layout& a, const Layout& b) {
  if (a.rank() != b.rank() || a.element_units() != b.element_units() ||
      a.unit_bits() != b.unit_bits())
    return false;
  for (int d = 0; d < a.rank(); ++d) {
    if (a.extent(d) != b.extent(d)) return false;
  }
  for (const Box& box : fold({&a, &b})) {
    if (box.base[0] != box.base[1]) return false;
    for (const Loop& loop : box.nest()) {
      if (loop.stride[0] != loop.stride[1]) return false;
    }
  }
  return true;
}

}  // namespace tensorlane
