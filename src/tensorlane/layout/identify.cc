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

// Elements that tell a place from others, the rarest value of the dump first.
class Landmarks {
 public:
  Landmarks(const Layout& plain, std::span<const std::byte> original,
            std::span<const std::byte> dump)
      : plain_(plain), original_(original), dump_(dump) {
    if (plain.unit_bits() != 8 || dump.size() < original.size()) return;
    const std::int64_t step = std::max<std::int64_t>(1, plain.size() / kElements);
    std::set<std::vector<std::byte>> values;
    for (std::int64_t element = step / 2; element < plain.size(); element += step) {
      elements_.push_back(element);
      const std::span<const std::byte> value = value_of(element);
      if (std::ssize(values) == kValues || !values.emplace(value.begin(), value.end()).second)
        continue;
      std::vector<std::int64_t> places = places_of(value);
      if (std::ssize(places) == kMostPlaces || (rarest_ >= 0 && places.size() >= places_.size()))
        continue;
      rarest_ = element;
      places_ = std::move(places);
    }
  }

  // Where address 0 of `layout` (with the axes of the plain one) may lie in the dump, among the
  // first `most` + 1 bytes.
  std::vector<std::int64_t> begins_of(const Layout& layout, std::int64_t most) const {
    std::vector<std::int64_t> begins;
    if (rarest_ < 0) return begins;
    const std::int64_t at = layout.address(index_of(rarest_));
    std::vector<std::int64_t> others;
    for (const std::int64_t element : elements_)
      others.push_back(layout.address(index_of(element)));
    for (const std::int64_t place : places_) {
      const std::int64_t begin = place - at;
      if (begin < 0 || begin > most) continue;
      bool all = true;
      for (std::size_t i = 0; all && i < elements_.size(); ++i) {
        all = std::ranges::equal(
            value_of(elements_[i]),
            dump_.subspan(static_cast<std::size_t>(begin + others[i]), element_bytes()));
      }
      if (all) begins.push_back(begin);
    }
    return begins;
  }

 private:
  static constexpr std::int64_t kElements = 64, kValues = 16, kMostPlaces = 1 << 16;

  std::size_t element_bytes() const { return static_cast<std::size_t>(plain_.element_units()); }
  std::span<const std::byte> value_of(std::int64_t element) const {
    return original_.subspan(static_cast<std::size_t>(element) * element_bytes(), element_bytes());
  }
  Layout::Index index_of(std::int64_t element) const {
    Layout::Index index{};
    for (int d = plain_.rank() - 1; d >= 0; --d) {
      index[d] = element % plain_.extent(d);
      element /= plain_.extent(d);
    }
    return index;
  }
  std::vector<std::int64_t> places_of(std::span<const std::byte> value) const {
    std::vector<std::int64_t> places;
    for (auto at = dump_.begin(); std::ssize(places) < kMostPlaces; ++at) {
      at = std::search(at, dump_.end(), value.begin(), value.end());
      if (at == dump_.end()) break;
      places.push_back(at - dump_.begin());
    }
    return places;
  }

  Layout plain_;
  std::span<const std::byte> original_, dump_;
  std::vector<std::int64_t> elements_, places_;
  std::int64_t rarest_ = -1;
};

class ByteSearch {
 public:
  ByteSearch(const NamedLayout& plain, std::span<const std::byte> original,
             std::span<const std::byte> dump)
      : plain_(plain), original_(original), dump_(dump) {}

  void consider(const LayoutSpec& spec) {
    const std::optional<NamedLayout> tensor = made(spec);
    if (!tensor || !tensor->holds_elements || tensor->info->echoes ||
        !tensor->axes.permutes(plain_.axes) || tensor->info->winograd)
      return;
    if (landmarks_) {
      look_inside(*tensor);
    } else if (tensor->total_bytes() == std::ssize(dump_) &&
               holds(memory_layout(*tensor), *tensor, 0)) {
      add({*tensor});
    }
  }

  // From now on the tensor may lie anywhere in the dump.
  void look_inside() { landmarks_.emplace(memory_layout(plain_), original_, dump_); }

  std::vector<DumpPlace> found() && { return std::move(found_); }
  bool found_any() const { return !found_.empty(); }

 private:
  static constexpr std::ptrdiff_t kMostFound = 64;

  void look_inside(const NamedLayout& tensor) {
    Layout layout = memory_layout(tensor);
    look_inside(tensor, layout, tensor.total_bytes(), 0);
    if (!tensor.is_local()) return;
    const std::int64_t npus = tensor.memory().npus, share = std::ssize(dump_) / npus;
    if (npus == 1 || std::ssize(dump_) % npus != 0 || share <= tensor.bytes_per_npu) return;
    layout.set_npu_bytes(share);
    look_inside(tensor, layout, (npus - 1) * share + tensor.bytes_per_npu, share);
  }
  void look_inside(const NamedLayout& tensor, const Layout& layout, std::int64_t bytes,
                   std::int64_t share) {
    if (bytes > std::ssize(dump_)) return;
    const Layout turned = layout.permuted(plain_.axes.places_in(tensor.axes));
    for (const std::int64_t begin : landmarks_->begins_of(turned, std::ssize(dump_) - bytes)) {
      if (std::ssize(found_) < kMostFound && holds(layout, tensor, begin))
        add({tensor, begin, share});
    }
  }

  bool holds(const Layout& layout, const NamedLayout& tensor, std::int64_t begin) const {
    std::vector<std::byte> unpacked(original_.size());
    convert(memory_layout(plain_), unpacked.data(),
            layout.permuted(plain_.axes.places_in(tensor.axes)), dump_.data() + begin);
    return std::ranges::equal(unpacked, original_);
  }

  void add(DumpPlace place) {
    const NamedLayout& tensor = place.tensor;
    for (const DumpPlace& other : found_) {
      if (other.begin == place.begin && other.tensor.is_local() == tensor.is_local() &&
          other.tensor.is_image() == tensor.is_image() && other.tensor.axes == tensor.axes &&
          same_places(other.tensor.layout, tensor.layout))
        return;
    }
    found_.push_back(std::move(place));
  }

  const NamedLayout& plain_;
  std::span<const std::byte> original_, dump_;
  std::optional<Landmarks> landmarks_;
  std::vector<DumpPlace> found_;
};

// Every layout that the tensor may be in.
void consider_all(ByteSearch& search, const NamedLayout& plain, const DumpSource& source) {
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
}

}  // namespace

std::vector<DumpPlace> layouts_of_bytes(const NamedLayout& plain,
                                        std::span<const std::byte> original,
                                        std::span<const std::byte> dump, const DumpSource& source) {
  if (std::ssize(original) != plain.total_bytes())
    user_error("the original has {} bytes; {} takes {}", original.size(), plain.name(),
               plain.total_bytes());
  ByteSearch search(plain, original, dump);
  consider_all(search, plain, source);
  if (!search.found_any()) {
    search.look_inside();
    consider_all(search, plain, source);
  }
  return std::move(search).found();
}

}  // namespace tensorlane
