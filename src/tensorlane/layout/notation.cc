#include "tensorlane/layout/notation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/layout/named_internal.h"
#include "tensorlane/layout/notation_internal.h"

namespace tensorlane {

using notation_internal::Distance;
using notation_internal::Written;
using notation_internal::WrittenAxis;

namespace {

// ---- Printing -----------------------------------------------------------------------------------

std::string distance_text(const Layout& layout, std::int64_t units) {
  if (units % layout.element_units() == 0) return std::to_string(units / layout.element_units());
  return std::to_string(units) + "b";  // 4-bit elements have one unit
}

std::string bracketed(const std::vector<std::string>& parts) {
  return parts.size() == 1 ? parts[0] : fmt::format("({})", fmt::join(parts, ","));
}

std::string shape_of(const Layout& layout, int d) {
  const std::span<const Digit> digits = layout.digits(d);
  const std::int64_t places = layout.offset(d) + layout.extent(d);
  std::int64_t inner = 1;
  std::vector<std::string> extents;
  for (const Digit& digit : digits.first(digits.size() - 1)) {
    inner *= digit.extent;
    extents.push_back(std::to_string(digit.extent));
  }
  const std::int64_t outer = std::max<std::int64_t>(1, (places + inner - 1) / inner);
  extents.push_back(std::to_string(outer));
  const std::string text = bracketed(extents);
  if (layout.offset(d) != 0)
    return fmt::format("{}+{} of {}", layout.extent(d), layout.offset(d), text);
  return inner * outer == places ? text : fmt::format("{} of {}", layout.extent(d), text);
}

std::string strides_of(const Layout& layout, int d) {
  std::vector<std::string> strides;
  for (const Digit& digit : layout.digits(d)) {
    const bool npu = d == layout.npu_dim() && digit.stride == layout.npu_units();
    strides.push_back(npu ? "npu" : distance_text(layout, digit.stride));
  }
  return bracketed(strides);
}

}  // namespace

std::string notation(const Layout& layout, const Axes& axes) {
  std::vector<std::string> shapes, strides;
  for (int d = 0; d < layout.rank(); ++d) {
    shapes.push_back(shape_of(layout, d));
    strides.push_back(strides_of(layout, d));
  }
  std::string text = axes.empty() ? std::string() : axes.text() + " ";
  text += fmt::format("({}):({})", fmt::join(shapes, ","), fmt::join(strides, ","));
  if (layout.base() != 0) text += " + " + distance_text(layout, layout.base());
  if (const Swizzle swizzle = layout.swizzle())
    text += fmt::format(" swizzle {},{},{}", swizzle.bits, swizzle.low, swizzle.distance);
  return text;
}

std::optional<std::string> cute_notation(const Layout& layout) {
  if (layout.npu_dim() >= 0 || layout.base() % layout.element_units() != 0) return std::nullopt;
  std::vector<std::string> shapes, strides;
  for (int d = 0; d < layout.rank(); ++d) {
    shapes.push_back(shape_of(layout, d));
    if (shapes.back().find("of") != std::string::npos) return std::nullopt;
    for (const Digit& digit : layout.digits(d)) {
      if (digit.stride % layout.element_units() != 0) return std::nullopt;
    }
    strides.push_back(strides_of(layout, d));
  }
  const std::string text = fmt::format("{}:{}", bracketed(shapes), bracketed(strides));
  const std::int64_t base = layout.base() / layout.element_units();
  const Swizzle swizzle = layout.swizzle();
  if (!swizzle) return base == 0 ? text : fmt::format("{} o {}", base, text);
  return fmt::format("Sw<{},{},{}> o {} o {}", swizzle.bits, swizzle.low, swizzle.distance, base,
                     text);
}

std::string notation(const NamedLayout& tensor) {
  const Layout& layout = tensor.layout;
  std::string text = notation(layout, tensor.axes);
  if (tensor.is_image())
    return text + fmt::format(" image {}x{}", layout.image_width(), tensor.image_height);
  const Layout::Bounds bounds = layout.loose_bounds(tensor.is_local());
  const std::int64_t bits = layout.unit_bits();
  const std::int64_t spanned =
      ceil_div((bounds.end - std::min(bounds.begin, layout.base())) * bits, 8);
  const std::int64_t reserved = tensor.is_local() ? tensor.bytes_per_npu : tensor.bytes;
  if (reserved > spanned) text += " size " + distance_text(layout, reserved * 8 / bits);
  return text;
}

// ---- From a text to a layout --------------------------------------------------------------------

namespace {

std::int64_t units_of(const NamedLayout& out, const Distance& distance) {
  switch (distance.unit) {
    case Distance::Unit::kElement:
      return distance.count * out.layout.element_units();
    case Distance::Unit::kByte:
      return distance.count * 8 / out.layout.unit_bits();
    case Distance::Unit::kNpu:
      return out.memory().npu_bytes * 8 / out.layout.unit_bits();
  }
  return 0;
}

// The places that the digits of an axis have; UserError where the indices need more.
void check_places(const NamedLayout& out, const WrittenAxis& dim) {
  std::int64_t places = 1;
  for (const std::int64_t extent : dim.extents) {
    if (places > (std::int64_t{1} << 40) / extent) {
      user_error("layout '{}': axis at character {} has more than 2^40 places", out.spec.layout,
                 dim.at + 1);
    }
    places *= extent;
  }
  const std::int64_t wanted = dim.count.value_or(places) + dim.first;
  if (wanted > places) {
    user_error("layout '{}': axis at character {} has places 0 to {}; its last index is at {}",
               out.spec.layout, dim.at + 1, places - 1, wanted - 1);
  }
}

void check_digits(const NamedLayout& out, std::size_t digits) {
  if (digits > Layout::kMaxDigits)
    user_error("layout '{}' has {} digits; at most {}", out.spec.layout, digits,
               Layout::kMaxDigits);
}

void set_shape(NamedLayout& out, const std::vector<std::int64_t>& shape) {
  if (!out.spec.shape.empty() && out.spec.shape != shape) {
    user_error("shape [{}] is not that of layout '{}', [{}]", fmt::join(out.spec.shape, ","),
               out.spec.layout, fmt::join(shape, ","));
  }
  out.spec.shape = shape;
}

void build_whole(NamedLayout& out, const Written& written) {
  std::vector<std::int64_t> shape;
  std::size_t count = 0;
  int npu_dim = -1, npu_digit = 0;
  for (const WrittenAxis& dim : written.dims) count += dim.extents.size();
  check_digits(out, count);
  for (const WrittenAxis& dim : written.dims) {
    check_places(out, dim);
    std::int64_t places = 1;
    std::vector<Digit> digits;
    for (std::size_t k = 0; k < dim.extents.size(); ++k) {
      const bool outermost = k + 1 == dim.extents.size();
      const Distance& stride = dim.strides[k];
      if (stride.unit == Distance::Unit::kNpu) {
        const LocalMemory memory = out.memory();
        if (npu_dim >= 0 || dim.extents[k] > memory.npus) {
          user_error("layout '{}': one digit of one axis may count NPUs, of which {} has {}",
                     out.spec.layout, out.spec.owner_name(), memory.npus);
        }
        npu_dim = out.layout.rank();
        npu_digit = static_cast<int>(k);
        out.spec.start_npu = dim.first / places % dim.extents[k];
      }
      if (std::abs(stride.count) > (std::int64_t{1} << 42) / dim.extents[k]) {
        user_error("layout '{}': axis at character {} spans more than 2^42 elements",
                   out.spec.layout, dim.at + 1);
      }
      digits.push_back({outermost ? 1 : dim.extents[k], units_of(out, stride)});
      places *= dim.extents[k];
    }
    shape.push_back(dim.count.value_or(places));
    out.layout.add_dim(shape.back(), digits, dim.first);
  }
  set_shape(out, shape);
  if (npu_dim >= 0) {
    out.layout.set_local(out.memory().npu_bytes, npu_dim, npu_digit);
  } else if (out.spec.start_npu != 0) {
    named_internal::check_no_npu(out);
  }
}

void build_short(NamedLayout& out, const Written& written) {
  const std::vector<std::int64_t>& shape = out.spec.shape;
  if (std::ssize(shape) != written.axes.size()) {
    user_error("shape [{}] has {} extents; layout {} of {} takes {}: {}", fmt::join(shape, ","),
               shape.size(), out.spec.layout, out.spec.owner_name(), written.axes.size(),
               fmt::join(written.axes.text(), ","));
  }
  named_internal::check_no_npu(out);
  std::vector<std::int64_t> blocked(shape.size(), 1);
  for (const notation_internal::Block& block : written.blocks) {
    std::int64_t& product = blocked[static_cast<std::size_t>(block.axis)];
    product = std::min(product * std::max<std::int64_t>(1, block.extent), std::int64_t{1} << 31);
  }
  std::array<std::vector<Digit>, Layout::kMaxDims> digits;
  std::int64_t stride = out.layout.element_units();
  for (auto block = written.blocks.rbegin(); block != written.blocks.rend(); ++block) {
    const auto axis = static_cast<std::size_t>(block->axis);
    const bool outermost = block->extent == 0;
    digits[axis].push_back({outermost ? 1 : block->extent, stride});
    const std::int64_t steps = outermost ? ceil_div(shape[axis], blocked[axis]) : block->extent;
    if (stride > (std::int64_t{1} << 42) / steps)
      user_error("shape [{}] in layout {} takes more than 2^42 bytes", fmt::join(shape, ","),
                 out.spec.layout);
    stride *= steps;
  }
  for (std::size_t d = 0; d < shape.size(); ++d) out.layout.add_dim(shape[d], digits[d]);
  out.bytes = ceil_div(stride * out.layout.unit_bits(), 8);
}

// What is told apart from one stride for each axis, in elements.
void set_plain_strides(NamedLayout& out) {
  for (int d = 0; d < out.layout.rank() && !out.layout.swizzle(); ++d) {
    const std::span<const Digit> digits = out.layout.digits(d);
    const bool dealt =
        d == out.layout.npu_dim() && digits.size() == 2 && digits[0].extent == out.memory().npus;
    const std::int64_t stride = digits.back().stride;
    if ((digits.size() > 1 && !dealt) || stride % out.layout.element_units() != 0 || stride < 0) {
      out.strides.clear();
      return;
    }
    out.strides.push_back(stride / out.layout.element_units());
  }
}

}  // namespace

namespace named_internal {

void build_written(NamedLayout& out) {
  const Written written = notation_internal::parse_written(out.spec.layout);
  out.layout = Layout(out.spec.dtype);
  out.axes = written.axes;
  written.dims.empty() ? build_short(out, written) : build_whole(out, written);
  const std::int64_t before = units_of(out, Distance{out.spec.offset, Distance::Unit::kByte});
  out.layout.set_base(before + (written.base ? units_of(out, *written.base) : 0));
  const bool local = out.layout.npu_dim() >= 0;
  if (written.swizzle) {
    const std::int64_t period = written.swizzle.period();
    if (written.image_width != 0 || local) {
      user_error("layout '{}': a swizzle permutes linear memory, neither pixels nor NPUs",
                 out.spec.layout);
    }
    if (out.layout.base() % (period * out.layout.element_units()) != 0) {
      user_error("layout '{}': a swizzled tensor begins at a multiple of its period, {} elements",
                 out.spec.layout, period);
    }
    if (out.layout.loose_bounds(false).begin >= 0) out.layout.set_swizzle(written.swizzle);
  }
  set_plain_strides(out);
  const Layout::Bounds bounds = out.layout.loose_bounds(local);
  out.spec.offset = std::min(bounds.begin, out.layout.base()) * out.layout.unit_bits() / 8;
  if (bounds.begin < 0) {
    user_error("layout '{}' begins {} bytes before its memory; write '+' and a distance behind it",
               out.spec.layout, ceil_div(-bounds.begin * out.layout.unit_bits(), 8));
  }
  if (written.size) {
    const std::int64_t size = ceil_div(units_of(out, *written.size) * out.layout.unit_bits(), 8);
    (local ? out.bytes_per_npu : out.bytes) = size;
  }
  if (written.image_width == 0) return;
  const std::int64_t lanes = written.image_width * written.image_height * 4;
  if (local || lanes * out.layout.element_units() < bounds.end || out.layout.base() != 0) {
    user_error("layout '{}': an image of {} x {} pixels does not hold it", out.spec.layout,
               written.image_width, written.image_height);
  }
  out.layout.set_image(written.image_width);
  out.image_height = written.image_height;
  out.bytes = ceil_div(lanes * dtype_bits(out.spec.dtype), 8);
}

}  // namespace named_internal
}  // namespace tensorlane
