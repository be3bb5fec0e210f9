#include "tensorlane/layout/convert.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/parallel.h"
#include "tensorlane/layout/fold.h"
#include "tensorlane/layout/image.h"
#include "tensorlane/layout/winograd.h"

namespace tensorlane {
namespace {

// Elements that go through the row-major buffer at once: it stays in the second-level cache.
constexpr std::int64_t kStagedElements = 1 << 15;
// Bytes that are copied between two calls of the progress function.
constexpr std::int64_t kProgressBytes = 32 << 20;
// Carries of digits that fall apart make a box each; above this number the copy is staged.
constexpr std::int64_t kMostBoxes = 4096;

void copy_box(const Box& box, const Layout& layout, std::byte* dst, const std::byte* src,
              CopyThreads threads) {
  if (layout.unit_bits() == 4) {
    strided_copy_nibbles(box, dst, src, threads);
  } else {
    strided_copy(box, dst, src, layout.element_units(), threads);
  }
}

void copy_boxes(const Layout& to, std::byte* dst, const Layout& from, const std::byte* src,
                CopyThreads threads) {
  for (const Box& box : fold({&to, &from})) copy_box(box, to, dst, src, threads);
}

// Cuts the shape into pieces of at most `most` elements: whole inner dimensions, a stretch of one
// dimension, single indices of those outside it.
class Pieces {
 public:
  Pieces(const Layout& layout, std::int64_t most) {
    std::int64_t inner = 1;
    dim_ = layout.rank();
    while (dim_ > 0 && inner * layout.extent(dim_ - 1) <= most) inner *= layout.extent(--dim_);
    if (dim_ == 0) return;  // one piece
    --dim_;
    length_ = std::max<std::int64_t>(1, most / inner);
    stretches_ = ceil_div(layout.extent(dim_), length_);
    count_ = stretches_;
    for (int d = 0; d < dim_; ++d) count_ *= layout.extent(d);
    whole_ = false;
  }

  std::int64_t count() const { return count_; }

  Layout piece(const Layout& layout, std::int64_t number) const {
    if (whole_) return layout;
    const std::int64_t first = number % stretches_ * length_;
    Layout result = layout.slice(dim_, first, std::min(length_, layout.extent(dim_) - first));
    std::int64_t rest = number / stretches_;
    for (int d = dim_ - 1; d >= 0; --d) {
      result = result.slice(d, rest % layout.extent(d), 1);
      rest /= layout.extent(d);
    }
    return result;
  }

 private:
  int dim_ = 0;
  std::int64_t length_ = 0, stretches_ = 1, count_ = 1;
  bool whole_ = true;
};

std::vector<std::int64_t> extents(const Layout& layout) {
  std::vector<std::int64_t> shape;
  for (int d = 0; d < layout.rank(); ++d) shape.push_back(layout.extent(d));
  return shape;
}

// About how many boxes the carries of both layouts cut their dimensions into.
std::int64_t estimated_boxes(const Layout& a, const Layout& b) {
  std::int64_t boxes = 1;
  for (int d = 0; d < a.rank(); ++d) {
    const std::span<const Digit> left = a.digits(d), right = b.digits(d);
    if (left.size() < 2 || right.size() < 2) continue;
    const std::int64_t small = std::min(left[0].extent, right[0].extent);
    const std::int64_t large = std::max(left[0].extent, right[0].extent);
    if (large % small == 0 && a.offset(d) % small == b.offset(d) % small) continue;
    boxes = std::min<std::int64_t>(boxes * ceil_div(a.extent(d), small), 1 << 30);
  }
  // A swizzle may leave a box for every run: those of small tensors only.
  if ((a.swizzle() || b.swizzle()) && a.size() > kStagedElements) return 1 << 30;
  return boxes;
}

// One piece through a row-major buffer of each element type.
void convert_piece(const Layout& to, std::byte* dst, const Layout& from, const std::byte* src,
                   const LayoutConversion& options) {
  const std::vector<std::int64_t> shape = extents(to);
  const Layout gathered = row_major_layout(shape, from.dtype());
  const Layout converted = row_major_layout(shape, to.dtype());
  const auto bytes = [](const Layout& layout) {
    return static_cast<std::size_t>(ceil_div(layout.size() * dtype_bits(layout.dtype()), 8));
  };
  thread_local std::vector<std::byte> source, result;
  source.resize(bytes(gathered));
  result.resize(bytes(converted));
  copy_boxes(gathered, source.data(), from, src, CopyThreads::kSerial);
  convert_elements(result.data(), to.dtype(), source.data(), from.dtype(),
                   static_cast<std::size_t>(to.size()), options.element);
  copy_boxes(to, dst, converted, result.data(), CopyThreads::kSerial);
}

void convert_staged(const Layout& to, std::byte* dst, const Layout& from, const std::byte* src,
                    const LayoutConversion& options) {
  const Pieces pieces(to, kStagedElements);
  const std::int64_t count = pieces.count(), all = to.size();
  const auto run = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      convert_piece(pieces.piece(to, i), dst, pieces.piece(from, i), src, options);
    }
  };
  // Two 4-bit elements share a byte, so that one thread has to write all of them.
  const bool serial = options.threads == CopyThreads::kSerial || to.unit_bits() == 4;
  const std::int64_t round = options.progress ? std::max<std::int64_t>(1, count / 100) : count;
  for (std::int64_t done = 0; done < count; done += round) {
    const std::int64_t now = std::min(round, count - done);
    if (serial) {
      run(done, done + now);
    } else {
      parallel_ranges(now, 1,
                      [&](std::int64_t begin, std::int64_t end) { run(done + begin, done + end); });
    }
    if (options.progress) options.progress(all * (done + now) / count, all);
  }
}

void convert_direct(const Layout& to, std::byte* dst, const Layout& from, const std::byte* src,
                    const LayoutConversion& options) {
  if (!options.progress) {
    copy_boxes(to, dst, from, src, options.threads);
    return;
  }
  const Pieces pieces(to, kProgressBytes * 8 / dtype_bits(to.dtype()));
  for (std::int64_t i = 0; i < pieces.count(); ++i) {
    copy_boxes(pieces.piece(to, i), dst, pieces.piece(from, i), src, options.threads);
    options.progress(to.size() * (i + 1) / pieces.count(), to.size());
  }
}

void check_size(const char* which, const NamedLayout& tensor, std::size_t bytes) {
  if (bytes != static_cast<std::size_t>(tensor.total_bytes())) {
    user_error("{} has {} bytes; {} [{}] in layout {} takes {}", which, bytes,
               dtype_name(tensor.spec.dtype), fmt::join(tensor.spec.shape, ","), tensor.name(),
               tensor.total_bytes());
  }
}

// The 3x3 filters of `from`, transformed, as a row-major fp32 tensor in memory.
std::vector<float> transform_filters(const NamedLayout& to, const Layout& from,
                                     const std::byte* src, const LayoutConversion& options) {
  const Layout plain = row_major_layout(extents(from), Dtype::kFp32);
  std::vector<float> filters(static_cast<std::size_t>(plain.size()));
  convert(plain, reinterpret_cast<std::byte*>(filters.data()), from, src, options);
  return winograd_filter_transform(filters, to.spec.winograd_block);
}

// Columns of the v0.6.x filter image that repeat other elements; what lies past the buffer's end is
// left zero.
void write_echoes(const NamedLayout& to, const Layout& layout, std::byte* dst) {
  const auto size = static_cast<std::size_t>(layout.element_units());
  for (const FilterEcho& echo : legacy_filter_echoes(to.spec.shape)) {
    if (echo.past_end) continue;
    std::memcpy(dst + layout.address_of(echo.lane), dst + layout.address(echo.element), size);
  }
}

bool fully_used(const NamedLayout& tensor) {
  return tensor.holds_elements &&
         tensor.total_bytes() * 8 == tensor.layout.size() * dtype_bits(tensor.spec.dtype);
}

}  // namespace

Layout memory_layout(const NamedLayout& tensor) {
  Layout layout = tensor.layout;
  layout.set_base(0);
  if (tensor.is_local()) layout.set_npu_bytes(tensor.bytes_per_npu);
  // Negative strides lead to before the first element.
  layout.set_base(-std::min<std::int64_t>(0, layout.loose_bounds(tensor.is_local()).begin));
  return layout;
}

void convert(const Layout& to, std::byte* dst, const Layout& from, const std::byte* src,
             const LayoutConversion& options) {
  TL_INTERNAL_CHECK(to.rank() == from.rank());
  for (int d = 0; d < to.rank(); ++d) TL_INTERNAL_CHECK(to.extent(d) == from.extent(d));
  check_conversion(to.dtype(), from.dtype(), options.element);
  if (to.size() == 0) return;
  const bool copies_bits = !converts_values(to.dtype(), from.dtype());
  if (copies_bits && estimated_boxes(to, from) <= kMostBoxes) {
    convert_direct(to, dst, from, src, options);
  } else {
    convert_staged(to, dst, from, src, options);
  }
}

void convert_reference(const Layout& to, std::byte* dst, const Layout& from, const std::byte* src,
                       const LayoutConversion& options) {
  check_conversion(to.dtype(), from.dtype(), options.element);
  const auto load = [](const Layout& layout, const std::byte* data, std::int64_t address) {
    if (layout.unit_bits() == 4) {
      return std::to_integer<std::uint32_t>(data[address / 2]) >> (address % 2 * 4) & 15U;
    }
    std::uint32_t bits = 0;
    std::memcpy(&bits, data + address, static_cast<std::size_t>(layout.element_units()));
    return bits;
  };
  const auto store = [](const Layout& layout, std::byte* data, std::int64_t address,
                        std::uint32_t bits) {
    if (layout.unit_bits() == 4) {
      const int shift = static_cast<int>(address % 2 * 4);
      std::byte& byte = data[address / 2];
      byte = (byte & ~(std::byte{15} << shift)) | std::byte(bits << shift);
      return;
    }
    std::memcpy(data + address, &bits, static_cast<std::size_t>(layout.element_units()));
  };
  Layout::Index index{};
  for (std::int64_t i = 0; i < to.size(); ++i) {
    const std::uint32_t bits = load(from, src, from.address(index));
    store(to, dst, to.address(index),
          convert_element(bits, to.dtype(), from.dtype(), options.element));
    for (int d = to.rank() - 1; d >= 0 && ++index[d] == to.extent(d); --d) index[d] = 0;
  }
}

std::vector<std::int64_t> converted_shape(const Axes& to_axes, const Axes& from_axes,
                                          std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> result;
  if (to_axes.permutes(from_axes)) {
    for (const int d : to_axes.places_in(from_axes)) {
      result.push_back(shape[static_cast<std::size_t>(d)]);
    }
    return result;
  }
  const auto rank = static_cast<std::size_t>(to_axes.size());
  // Keep the outer extents and join the rest into the last one; missing ones are 1.
  for (const std::int64_t extent : shape) {
    if (result.size() < rank) {
      result.push_back(extent);
    } else {
      result.back() *= extent;
    }
  }
  while (result.size() < rank) result.insert(result.begin(), 1);
  return result;
}

void convert(const NamedLayout& to, std::span<std::byte> dst, const NamedLayout& from,
             std::span<const std::byte> src, const LayoutConversion& options) {
  check_size("the destination", to, dst.size());
  check_size("the source", from, src.size());
  if (!from.holds_elements) {
    user_error("layout {} with M = {} stores no element that could be converted", from.info->name,
               from.spec.shape[0]);
  }
  if (to.padding == PaddingFill::kZero && !fully_used(to)) {
    std::fill(dst.begin(), dst.end(), std::byte{0});
  }
  if (!to.holds_elements) return;
  const Layout target = memory_layout(to);
  Layout source = memory_layout(from);
  const std::byte* data = src.data();

  bool same_axes = to.axes.permutes(from.axes);
  if (same_axes) {
    const Layout matched = source.permuted(to.axes.places_in(from.axes));
    same_axes = !options.reshape || extents(matched) == extents(target) || to.transforms(matched);
    if (same_axes) source = matched;
  }
  const std::vector<std::int64_t> shape = extents(target);
  std::vector<float> transformed;
  std::vector<std::byte> reshaped;
  if (same_axes && to.transforms(source)) {
    transformed = transform_filters(to, source, data, options);
    source = row_major_layout(shape, Dtype::kFp32);
    data = reinterpret_cast<const std::byte*>(transformed.data());
  } else if (!same_axes || extents(source) != shape) {
    if (target.size() != source.size() || same_axes) {
      user_error(
          "{} [{}] cannot become {} [{}]: {}", from.name(), fmt::join(from.spec.shape, ","),
          to.name(), fmt::join(to.spec.shape, ","),
          same_axes ? tr("the extents of an axis differ") : tr("the numbers of elements differ"));
    }
    // Another shape: through the row-major sequence of the elements.
    const Layout sequence = row_major_layout(extents(source), from.spec.dtype);
    reshaped.resize(
        static_cast<std::size_t>(ceil_div(source.size() * dtype_bits(from.spec.dtype), 8)));
    LayoutConversion quiet = options;
    quiet.progress = {};
    convert(sequence, reshaped.data(), source, data, quiet);
    source = row_major_layout(shape, from.spec.dtype);
    data = reshaped.data();
  }
  convert(target, dst.data(), source, data, options);
  if (to.info->echoes) write_echoes(to, target, dst.data());
}

std::vector<std::byte> convert(const NamedLayout& to, const NamedLayout& from,
                               std::span<const std::byte> src, const LayoutConversion& options) {
  std::vector<std::byte> dst(static_cast<std::size_t>(to.total_bytes()));
  convert(to, dst, from, src, options);
  return dst;
}

}  // namespace tensorlane
