#include "tensorlane/opencl/pixel_map.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "tensorlane/base/error.h"
#include "tensorlane/layout/image.h"
#include "tensorlane/layout/local.h"

namespace tensorlane::opencl {
namespace {

// Sorts the digits of one axis of `pixels` pixels, closes the gaps between them and fuses those
// that count on where the one before ends.
std::vector<PixelDigit> in_order(std::vector<PixelDigit> digits, std::int64_t pixels) {
  std::ranges::sort(digits, {}, &PixelDigit::divisor);
  if (digits.empty() || digits.front().divisor != 1) {
    digits.insert(digits.begin(), PixelDigit{1, 1, 1, 0, 0});
  }
  std::vector<PixelDigit> result;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    PixelDigit digit = digits[i];
    const std::int64_t end = i + 1 < digits.size() ? digits[i + 1].divisor : pixels;
    digit.modulus = end / digit.divisor;
    TL_INTERNAL_CHECK(end % digit.divisor == 0 && digit.extent <= digit.modulus);
    if (!result.empty()) {
      PixelDigit& inner = result.back();
      if (inner.extent == inner.modulus && digit.stride == inner.stride * inner.modulus &&
          digit.lane_step == inner.lane_step * inner.modulus) {
        inner.extent *= digit.extent;
        inner.modulus *= digit.modulus;
        continue;
      }
      if (inner.modulus == 1 && inner.extent == 1) {  // takes one value only
        inner = digit;
        continue;
      }
    }
    result.push_back(digit);
  }
  return result;
}

// Images keep element order within rows of pixels; a packed buffer is one row.
ImageSize pixels_of(const NamedLayout& packed) {
  if (packed.is_image()) return {packed.layout.image_width(), packed.image_height};
  return {packed.bytes / (4 * packed.layout.element_units()), 1};
}

void check_countable(const NamedLayout& packed, std::int64_t lanes, std::int64_t elements) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (lanes > kMost || elements > kMost) {
    user_error("{} [{}] has {} lanes for {} elements; kernels count to {}", packed.info->name,
               fmt::join(packed.spec.shape, ","), lanes, elements, kMost);
  }
}

}  // namespace

std::optional<std::int64_t> PixelMap::source(std::int64_t x, std::int64_t y, int k) const {
  if (!holds_elements) return std::nullopt;
  std::int64_t offset = k * lane_stride, lane = k;
  bool real = true;
  const auto add = [&](const std::vector<PixelDigit>& digits, std::int64_t at) {
    for (const PixelDigit& digit : digits) {
      const std::int64_t value = at / digit.divisor % digit.modulus;
      real = real && value < digit.extent;
      offset += value * digit.stride;
      lane += value * digit.lane_step;
    }
  };
  add(columns, x);
  add(rows, y);
  if (!real || lane >= lane_extent || offset >= plain_elements) return std::nullopt;
  return offset;
}

Layout plain_layout(const NamedLayout& packed, Dtype dtype, const Axes& axes, bool original) {
  std::vector<std::int64_t> extents = packed.spec.shape;
  if (original) {
    if (!packed.info->winograd) {
      user_error("layout {} has no other original form", packed.info->name);
    }
    extents[2] = extents[3] = 3;
  }
  if (axes.empty() || axes == packed.axes) return row_major_layout(extents, dtype);
  if (!axes.permutes(packed.axes)) {
    user_error("a buffer of axes {} does not fit layout {}, whose axes are {}", axes.text(),
               packed.info->name, packed.axes.text());
  }
  std::vector<std::int64_t> in_memory;
  for (const int place : axes.places_in(packed.axes)) {
    in_memory.push_back(extents[static_cast<std::size_t>(place)]);
  }
  return row_major_layout(in_memory, dtype).permuted(packed.axes.places_in(axes));
}

bool has_pixel_map(const NamedLayout& packed) {
  return packed.info->pixels != PixelForm::kNone;
}

PixelMap pixel_map(const NamedLayout& packed, const Layout& plain, bool for_pack) {
  if (!has_pixel_map(packed)) {
    user_error("layout {} does not keep four elements in a pixel; images and packed buffers do",
               packed.info->name);
  }
  const Layout& layout = packed.layout;
  TL_INTERNAL_CHECK(plain.rank() == layout.rank());
  const ImageSize size = pixels_of(packed);
  PixelMap map{.width = size.width,
               .height = size.height,
               .plain_elements = plain.size(),
               .holds_elements = packed.holds_elements};
  check_countable(packed, 4 * size.width * size.height, map.plain_elements);
  const std::int64_t pixel = 4 * layout.element_units();

  for (int d = 0; d < layout.rank(); ++d) {
    TL_INTERNAL_CHECK(plain.extent(d) == layout.extent(d) && plain.digits(d).size() == 1);
    std::vector<Digit> digits(layout.digits(d).begin(), layout.digits(d).end());
    if (digits.size() == 1 && digits[0].stride == layout.element_units()) {
      digits = {{4, digits[0].stride}, {1, pixel}};  // neighbours fill the lanes too
    }
    std::int64_t weight = 1;  // indices that one step of the digit moves
    for (std::size_t i = 0; i < digits.size(); ++i) {
      const Digit& digit = digits[i];
      const std::int64_t left = ceil_div(layout.extent(d), weight);
      const std::int64_t extent = i + 1 == digits.size() ? left : std::min(left, digit.extent);
      if (digit.stride == 0 && extent > 1 && packed.holds_elements) {
        user_error("layout {} stores filters with M = 1; this one is [{}]", packed.info->name,
                   fmt::join(packed.spec.shape, ","));
      }
      const std::int64_t stride = plain.digits(d)[0].stride / plain.element_units() * weight;
      if (digit.stride == layout.element_units()) {
        map.lane_stride = stride;
        map.lane_extent = layout.extent(d);
      } else if (extent > 1 && digit.stride > 0) {
        const std::int64_t step = digit.stride / pixel;
        const std::int64_t lane_step = weight == 4 && i > 0 ? 4 : 0;
        const std::int64_t row_step = step / size.width, column_step = step % size.width;
        TL_INTERNAL_CHECK((row_step == 0) != (column_step == 0));
        auto& axis = row_step == 0 ? map.columns : map.rows;
        axis.push_back({row_step + column_step, 0, extent, stride, lane_step});
      }
      weight *= digit.extent;
    }
  }
  map.columns = in_order(std::move(map.columns), size.width);
  map.rows = in_order(std::move(map.rows), size.height);
  if (packed.info->echoes && for_pack) {
    // The kernel of v0.6.x has no guard on the column and goes on reading.
    map.echoes = true;
    const int inner = plain.rank() - 1;
    map.columns = {
        {1, size.width, size.width, plain.digits(inner)[0].stride / plain.element_units(), 0}};
  }
  return map;
}

}  // namespace tensorlane::opencl
