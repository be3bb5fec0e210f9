#include "tensorlane/layout/algebra.h"

#include <algorithm>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/layout/fold.h"
#include "tensorlane/layout/full_axis.h"
#include "tensorlane/layout/notation.h"

namespace tensorlane {

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
