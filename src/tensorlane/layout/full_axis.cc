#include "tensorlane/layout/full_axis.h"

#include <algorithm>
#include <span>

#include "tensorlane/base/error.h"
#include "tensorlane/layout/notation.h"

namespace tensorlane {

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

void check_plain(const Layout& layout, const char* what) {
  if (layout.swizzle())
    user_error("{}: {} has a swizzle, which no stride describes", notation(layout), what);
}

}  // namespace tensorlane
