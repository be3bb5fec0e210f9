#include "tensorlane/layout/identify.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "tensorlane/base/error.h"
#include "tensorlane/layout/algebra.h"
#include "tensorlane/layout/convert.h"
#include "tensorlane/layout/notation.h"

namespace tensorlane {
namespace {

std::optional<NamedLayout> made(const LayoutSpec& spec) {
  try {
    return make_layout(spec);
  } catch (const UserError&) {  // not of this rank, element type, start or offset
    return std::nullopt;
  }
}

// The axes that a layout takes a tensor of `axes` along.
std::optional<Axes> matching_axes(const LayoutInfo& info, const Axes& axes) {
  if (info.axes.permutes(axes)) return info.axes;
  for (const Axes& smaller : info.smaller_axes) {
    if (smaller.permutes(axes)) return smaller;
  }
  return std::nullopt;
}

// Per axis what its outermost digit steps, in the unit of a layout that takes strides.
std::vector<std::int64_t> strides_in(const LayoutInfo& info, const Layout& layout) {
  const std::int64_t bits = info.stride_unit == StrideUnit::kWord   ? 32
                            : info.stride_unit == StrideUnit::kPair ? 2 * dtype_bits(layout.dtype())
                                                                    : dtype_bits(layout.dtype());
  std::vector<std::int64_t> strides;
  for (int d = 0; d < layout.rank(); ++d) {
    const std::int64_t step = layout.digits(d).back().stride * layout.unit_bits();
    if (step < 0 || step % bits != 0) return {};
    strides.push_back(step / bits);
  }
  return strides;
}

// What a layout may be asked for with to be like `tensor`.
std::vector<LayoutSpec> ways_to_ask(const LayoutInfo& info, const Axes& axes,
                                    const NamedLayout& tensor) {
  LayoutSpec spec{
      .system = info.system,
      .layout = std::string(info.name),
      .dtype = tensor.spec.dtype,
      .shape = converted_shape(axes, tensor.axes, tensor.spec.shape),
      .offset = tensor.spec.offset,
      .memory = tensor.spec.memory,
      .owner = tensor.spec.system == info.system ? tensor.spec.owner : std::string_view()};
  if (tensor.is_local()) spec.start_npu = tensor.spec.start_npu;
  if (info.winograd) spec.winograd_block = static_cast<int>(spec.shape.back()) - 2;
  const Layout turned = tensor.layout.permuted(axes.places_in(tensor.axes));
  if (info.either_memory()) {
    spec.system_memory = !tensor.is_local();
    spec.strides = strides_in(info, turned);
    return spec.strides.empty() ? std::vector<LayoutSpec>() : std::vector{spec};
  }
  if (axes.has(Axis::kColumn)) {
    std::vector<LayoutSpec> ways;
    std::int64_t cols = 1;
    for (const Digit& digit : turned.digits(axes.find(Axis::kColumn))) {
      cols = &digit == &turned.digits(axes.find(Axis::kColumn)).back() ? spec.shape.back()
                                                                       : cols * digit.extent;
      spec.cols_per_channel = cols;
      ways.push_back(spec);
    }
    spec.cols_per_channel = {};
    ways.push_back(spec);
    return ways;
  }
  std::vector<LayoutSpec> ways = {spec};
  // Of plain elements any strides would do: that is `free`.
  if (info.takes_strides && info.stride_unit != StrideUnit::kElement) {
    spec.strides = strides_in(info, turned);
    if (!spec.strides.empty()) ways.push_back(spec);
  }
  return ways;
}

bool alike(const NamedLayout& tensor, const NamedLayout& other) {
  if (tensor.is_local() != other.is_local() || !other.holds_elements ||
      tensor.is_image() != other.is_image() || tensor.image_height != other.image_height ||
      tensor.layout.image_width() != other.layout.image_width())
    return false;
  return same_places(tensor.layout.permuted(other.axes.places_in(tensor.axes)), other.layout);
}

}  // namespace

std::vector<NamedLayout> names_of(const NamedLayout& tensor, std::span<const System> systems) {
  std::vector<NamedLayout> names, any;
  for (const System system : systems) {
    for (const LayoutInfo& info : layouts_of(system)) {
      const std::optional<Axes> axes = matching_axes(info, tensor.axes);
      if (!axes) continue;
      for (const LayoutSpec& spec : ways_to_ask(info, *axes, tensor)) {
        const std::optional<NamedLayout> other = made(spec);
        if (!other || !alike(tensor, *other)) continue;
        (info.either_memory() ? any : names).push_back(*other);
        break;
      }
    }
  }
  return names.empty() ? any : names;
}

namespace {

// Row-major orders of the axes, and channels in blocks.
std::vector<std::string> written_candidates(const Axes& axes) {
  std::string letters = axes.text();
  std::ranges::sort(letters);
  std::vector<std::string> texts;
  do {
    if (letters.size() > 1) texts.push_back(letters);
  } while (std::ranges::next_permutation(letters).found);
  const std::size_t orders = texts.size();
  for (const int block : {4, 8, 16, 32, 64}) {
    for (const Axis axis : {Axis::kC, Axis::kO, Axis::kI, Axis::kRow, Axis::kColumn}) {
      if (!axes.has(axis)) continue;
      for (std::size_t i = 0; i < orders; ++i) {
        texts.push_back(fmt::format(
            "{}{}{}", texts[i], block,
            static_cast<char>(std::tolower(static_cast<unsigned char>(axis_letter(axis))))));
      }
    }
  }
  return texts;
}

class ByteSearch {
 public:
  ByteSearch(const NamedLayout& plain, std::span<const std::byte> original,
             std::span<const std::byte> dump)
      : plain_(plain), original_(original), dump_(dump) {}

  void consider(const LayoutSpec& spec) {
    const std::optional<NamedLayout> tensor = made(spec);
    if (!tensor || !tensor->holds_elements || tensor->info->echoes ||
        tensor->total_bytes() != static_cast<std::int64_t>(dump_.size()) ||
        !tensor->axes.permutes(plain_.axes) || tensor->info->winograd)
      return;
    std::vector<std::byte> unpacked(original_.size());
    convert(plain_, unpacked, *tensor, dump_);
    if (!std::ranges::equal(unpacked, original_)) return;
    for (const NamedLayout& other : found_) {
      if (other.is_local() == tensor->is_local() && other.is_image() == tensor->is_image() &&
          other.axes == tensor->axes && same_places(other.layout, tensor->layout))
        return;
    }
    found_.push_back(*tensor);
  }

  std::vector<NamedLayout> found() && { return std::move(found_); }

 private:
  const NamedLayout& plain_;
  std::span<const std::byte> original_, dump_;
  std::vector<NamedLayout> found_;
};

}  // namespace

std::vector<NamedLayout> layouts_of_bytes(const NamedLayout& plain,
                                          std::span<const std::byte> original,
                                          std::span<const std::byte> dump,
                                          const DumpSource& source) {
  if (static_cast<std::int64_t>(original.size()) != plain.total_bytes())
    user_error("the original has {} bytes; {} takes {}", original.size(), plain.name(),
               plain.total_bytes());
  ByteSearch search(plain, original, dump);
  for (const System system : source.systems) {
    for (const LayoutInfo& info : layouts_of(system)) {
      const std::optional<Axes> axes = matching_axes(info, plain.axes);
      if (!axes || info.either_memory()) continue;
      LayoutSpec spec{.system = system,
                      .layout = std::string(info.name),
                      .dtype = plain.spec.dtype,
                      .shape = converted_shape(*axes, plain.axes, plain.spec.shape),
                      .memory = source.memory,
                      .owner = source.owner};
      const bool columns = axes->has(Axis::kColumn) && !info.row_major;
      const std::int64_t most = columns ? std::min<std::int64_t>(spec.shape.back(), 1024) : 1;
      for (std::int64_t cols = 1; cols <= most; ++cols) {
        if (columns) spec.cols_per_channel = cols;
        spec.start_npu = 0;
        const std::optional<NamedLayout> first = made(spec);
        search.consider(spec);
        const bool local = first && first->is_local() && source.memory;
        for (spec.start_npu = 1; local && spec.start_npu < source.memory->npus; ++spec.start_npu)
          search.consider(spec);
      }
    }
  }
  for (const std::string& text : written_candidates(plain.axes)) {
    const Axes axes = notation_axes(text);
    search.consider({.system = source.systems.front(),
                     .layout = text,
                     .dtype = plain.spec.dtype,
                     .shape = converted_shape(axes, plain.axes, plain.spec.shape),
                     .memory = source.memory,
                     .owner = source.owner});
  }
  return std::move(search).found();
}

}  // namespace tensorlane
