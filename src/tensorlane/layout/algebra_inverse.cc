// From an address back to the element: its index, the formula of it, or as a layout.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/layout/algebra.h"
#include "tensorlane/layout/full_axis.h"
#include "tensorlane/layout/notation.h"

namespace tensorlane {

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

}  // namespace tensorlane
