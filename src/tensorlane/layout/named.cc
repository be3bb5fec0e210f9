#include "tensorlane/layout/named.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/names.h"
#include "tensorlane/layout/image.h"
#include "tensorlane/layout/named_internal.h"
#include "tensorlane/layout/notation.h"

namespace tensorlane {
namespace {

using namespace named_internal;

// The entries of layouts that are written out.
constexpr LayoutInfo written_out(System system) {
  LayoutInfo info{system,
                  "written",
                  "",
                  Axes(),
                  msg("written out: extents and strides of each axis"),
                  msg("element = sum over all digits of digit * stride"),
                  msg("the text of the layout"),
                  build_written};
  info.written = true;
  return info;
}
constexpr LayoutInfo kWritten[] = {written_out(System::kBm1684), written_out(System::kBm1684x),
                                   written_out(System::kMace)};

constexpr std::string_view kSystems[] = {"bm1684", "bm1684x", "mace"};

// Extents and strides up to here cannot overflow an address.
constexpr std::int64_t kMaxExtent = std::int64_t{1} << 31;
constexpr std::int64_t kMaxElements = std::int64_t{1} << 40;
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 50;

std::string fold_name(std::string_view name) {
  std::string folded;
  for (const char c : name) {
    folded +=
        c == '_' || c == ' ' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return folded;
}

// Calls visit(word) for the words of `text`.
template <class Visit>
void for_each_word(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void check_shape(const LayoutSpec& spec) {
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < spec.shape.size(); ++i) {
    const std::int64_t extent = spec.shape[i];
    if (extent < 1 || extent > kMaxExtent) {
      user_error("shape [{}]: extent {} is {}; allowed are 1 to {}", fmt::join(spec.shape, ","), i,
                 extent, kMaxExtent);
    }
    if (elements > kMaxElements / extent) {
      user_error("shape [{}] has more than {} elements", fmt::join(spec.shape, ","), kMaxElements);
    }
    elements *= extent;
  }
}

void check_dtype(const LayoutInfo& info, Dtype dtype) {
  if (info.takes(dtype)) return;
  const auto& [least, most, because] = info.bits;
  const std::string wanted =
      least == most ? tr("{}-bit elements", least) : tr("elements of {} to {} bits", least, most);
  user_error("layout {} takes {} ({}), not {}", info.name, wanted, translated(because),
             dtype_name(dtype));
}

// Throws when two elements share a byte. A stride of 0 is a broadcast, which sources may have.
void check_overlap(const NamedLayout& out) {
  Layout distinct(out.spec.dtype);
  for (int d = 0; d < out.layout.rank(); ++d) {
    const std::span<const Digit> digits = out.layout.digits(d);
    const bool broadcast = std::all_of(digits.begin(), digits.end(),
                                       [](const Digit& digit) { return digit.stride == 0; });
    distinct.add_dim(broadcast ? 1 : out.layout.extent(d), digits, out.layout.offset(d));
  }
  if (distinct.nested()) return;
  constexpr std::int64_t kSearchable = 1 << 24;
  if (distinct.size() <= kSearchable && distinct.injective()) return;
  if (out.info->written) {
    user_error(
        "layout '{}' lets elements overlap; give every element bytes of its own (0 repeats "
        "a source)",
        out.spec.layout);
  } else {
    user_error(
        "strides [{}] let elements of shape [{}] overlap; give every element bytes of its "
        "own (0 repeats a source)",
        fmt::join(out.spec.strides, ","), fmt::join(out.spec.shape, ","));
  }
}

}  // namespace

std::string_view system_name(System system) {
  return kSystems[static_cast<std::size_t>(system)];
}

std::span<const LayoutInfo> layouts_of(System system) {
  switch (system) {
    case System::kBm1684:
      return bm1684_layouts();
    case System::kBm1684x:
      return bm1684x_layouts();
    case System::kMace:
      return mace_layouts();
  }
  return {};
}

const LayoutInfo& find_layout(System system, std::string_view name) {
  const std::string folded = fold_name(name);
  std::vector<std::string_view> names;
  for (const LayoutInfo& info : layouts_of(system)) {
    bool found = fold_name(info.name) == folded;
    for_each_word(info.aliases,
                  [&](std::string_view alias) { found = found || fold_name(alias) == folded; });
    if (found) return info;
    names.push_back(info.name);
  }
  if (is_notation(name)) return kWritten[static_cast<std::size_t>(system)];
  for (const System other : kAllSystems) {
    for (const LayoutInfo& info : layouts_of(other)) {
      if (fold_name(info.name) == folded) {
        user_error("{} has no layout '{}' ({} has); known are {}", system_name(system), name,
                   system_name(other), fmt::join(names, ", "));
      }
    }
  }
  user_error("{} has no layout '{}'{}", system_name(system), name, did_you_mean(name, names));
}

Axes layout_axes(System system, std::string_view name) {
  const LayoutInfo& info = find_layout(system, name);
  return info.written ? notation_axes(name) : info.axes;
}

LocalMemory LayoutSpec::local_memory() const {
  if (memory) return *memory;
  user_error("layout {} is one in the local memory of a chip: say how large that is", layout);
}

std::string_view LayoutInfo::summary_text() const {
  return translated(summary);
}

std::string_view stride_unit_name(StrideUnit unit) {
  constexpr std::string_view kNames[] = {msg("elements"), msg("32-bit words"), msg("pairs")};
  return kNames[static_cast<std::size_t>(unit)];
}

std::int64_t NamedLayout::total_bytes() const {
  return is_local() ? bytes_per_npu * memory().npus : bytes;
}

std::string_view NamedLayout::name() const {
  return info->written ? std::string_view(spec.layout) : info->name;
}

bool NamedLayout::is_row_major() const {
  if (!info->written) return info->row_major;
  return !is_image() && !is_local() &&
         bytes == ceil_div(layout.size() * dtype_bits(spec.dtype), 8) &&
         layout.same_addresses(row_major_layout(spec.shape, spec.dtype));
}

std::string_view NamedLayout::rule() const {
  return info->either_memory() && !is_local() ? info->system_rule : info->rule;
}

int NamedLayout::stride_bits() const {
  const int element = dtype_bits(spec.dtype);
  switch (info->stride_unit) {
    case StrideUnit::kElement:
      return element;
    case StrideUnit::kWord:
      return 32;
    case StrideUnit::kPair:
      return 2 * element;
  }
  return element;
}

std::string NamedLayout::strides_call() const {
  std::string call(info->strides_call);
  constexpr std::string_view kBits = "{bits}";
  if (const std::size_t at = call.find(kBits); at != std::string::npos) {
    if (dtype_bits(spec.dtype) < 8) return {};  // no such function
    call.replace(at, kBits.size(), std::to_string(dtype_bits(spec.dtype)));
  }
  return call;
}

bool NamedLayout::transforms(const Layout& source) const {
  return info->winograd && source.rank() == 4 && source.extent(2) == 3 && source.extent(3) == 3;
}

NamedLayout make_layout(const LayoutSpec& spec) {
  NamedLayout out;
  out.info = &find_layout(spec.system, spec.layout);
  out.spec = spec;
  check_shape(spec);
  check_dtype(*out.info, spec.dtype);
  if (spec.memory && (spec.memory->npus < 1 || spec.memory->npu_bytes < 1)) {
    user_error("a chip needs at least one NPU with memory; asked for {} NPUs of {} bytes",
               spec.memory->npus, spec.memory->npu_bytes);
  }
  if (spec.offset < 0 || spec.offset > kMaxBytes) {
    user_error("offset is {}; allowed are 0 to {}", spec.offset, kMaxBytes);
  }
  if (!spec.strides.empty() && !out.info->takes_strides) {
    user_error("strides [{}]: those of layout {} follow from the shape; layout {} takes any",
               fmt::join(spec.strides, ","), out.info->name, layout_names::kFree);
  }
  out.info->build(out);
  if (out.info->written) check_shape(out.spec);  // that of the text
  if (!spec.strides.empty()) check_overlap(out);
  if (out.info->written) check_overlap(out);
  const std::int64_t unit_bits = out.layout.unit_bits();
  const Layout::Bounds bounds =
      out.is_local() ? out.layout.loose_bounds(true) : out.layout.loose_bounds(false);
  const std::int64_t span =
      ceil_div((bounds.end - std::min(bounds.begin, out.layout.base())) * unit_bits, 8);
  if (out.is_local()) {
    out.bytes_per_npu = std::max(out.bytes_per_npu, span);
  } else {
    out.bytes = std::max(out.bytes, span);
  }
  return out;
}

void check_fits(const NamedLayout& tensor) {
  if (!tensor.is_local()) return;
  const LocalMemory memory = tensor.memory();
  const std::int64_t unit_bits = tensor.layout.unit_bits();
  const std::int64_t end = ceil_div(tensor.layout.loose_bounds(true).end * unit_bits, 8);
  if (end > memory.npu_bytes) {
    user_error("{} [{}] in layout {} reaches byte {} of every NPU; {} has {} bytes per NPU",
               dtype_name(tensor.spec.dtype), fmt::join(tensor.spec.shape, ","), tensor.info->name,
               end, tensor.spec.owner_name(), memory.npu_bytes);
  }
}

std::int64_t best_cols_per_channel(const LocalMemory& memory, std::int64_t start_npu,
                                   std::int64_t cols, int bits) {
  const std::int64_t unit = std::int64_t{memory.align_bytes} * 8;
  std::int64_t best = cols, least = std::numeric_limits<std::int64_t>::max(), most_npus = 0;
  // Of each number of channel rows the narrowest channels; past one unit per channel more rows only
  // cost more.
  for (std::int64_t rows = 1;; ++rows) {
    const std::int64_t width = ceil_div(cols, rows * memory.npus - start_npu);
    const std::int64_t memory_bits = rows * align_up(width * bits, unit);
    const std::int64_t npus = std::min<std::int64_t>(memory.npus, ceil_div(cols, width));
    if (memory_bits < least || (memory_bits == least && npus > most_npus)) {
      best = width;
      least = memory_bits;
      most_npus = npus;
    }
    if (width * bits <= unit) return best;
  }
}

namespace named_internal {

void set_axes(NamedLayout& out) {
  const int rank = static_cast<int>(out.spec.shape.size());
  out.axes = out.info->axes;
  for (const Axes& axes : out.info->smaller_axes) {
    if (axes.size() == rank) out.axes = axes;
  }
  if (out.axes.size() == rank) return;
  user_error("shape [{}] has {} extents; layout {} of {} takes {}: {}",
             fmt::join(out.spec.shape, ","), rank, out.info->name, out.spec.owner_name(),
             out.axes.size(), fmt::join(out.axes.text(), ","));
}

Shape4 shape4(const NamedLayout& out) {
  const std::vector<std::int64_t>& s = out.spec.shape;
  return {s[0], s[1], s[2], s[3]};
}

void set_strides(NamedLayout& out, const Stride4& stride) {
  out.strides = {stride.n, stride.c, stride.h, stride.w};
}

std::int64_t local_start(const NamedLayout& out, int align_bytes) {
  const LocalMemory memory = out.memory();
  if (out.spec.start_npu < 0 || out.spec.start_npu >= memory.npus) {
    user_error("start NPU is {}; {} has NPUs 0 to {}", out.spec.start_npu, out.spec.owner_name(),
               memory.npus - 1);
  }
  if (out.spec.offset % align_bytes != 0) {
    user_error("offset {} of layout {} must be a multiple of {} bytes", out.spec.offset,
               out.info->name, align_bytes);
  }
  if (out.spec.offset >= memory.npu_bytes) {
    user_error("offset {} lies outside an NPU of {} bytes", out.spec.offset, memory.npu_bytes);
  }
  return out.spec.start_npu * memory.npu_bytes + out.spec.offset;
}

Stride4 strides_or(const NamedLayout& out, const Stride4& otherwise) {
  const std::vector<std::int64_t>& s = out.spec.strides;
  if (s.empty()) return otherwise;
  if (s.size() != 4) {
    user_error("strides [{}]: layout {} takes four, one per extent of the shape", fmt::join(s, ","),
               out.info->name);
  }
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] < 0 || s[i] > kMaxExtent) {
      user_error("strides [{}]: {} is outside 0 to {}", fmt::join(s, ","), s[i], kMaxExtent);
    }
    if (s[i] > kMaxElements / out.spec.shape[i]) {
      user_error("strides [{}] spread shape [{}] over more than {} elements", fmt::join(s, ","),
                 fmt::join(out.spec.shape, ","), kMaxElements);
    }
  }
  return {s[0], s[1], s[2], s[3]};
}

void check_no_npu(const NamedLayout& out) {
  if (out.spec.start_npu == 0) return;
  user_error("start NPU is {}; the memory of layout {} has no NPUs", out.spec.start_npu,
             out.info->name);
}

void build_continuous(NamedLayout& out) {
  set_axes(out);
  check_no_npu(out);
  const Stride4 stride = strides_or(out, continuous_stride(shape4(out)));
  out.layout = system_layout(out.spec.offset, shape4(out), stride, out.spec.dtype);
  set_strides(out, stride);
}

namespace {

void build_local(NamedLayout& out, const Stride4& stride, int align_bytes) {
  out.layout = local_layout(out.memory(), local_start(out, align_bytes), shape4(out), stride,
                            out.spec.dtype);
  set_strides(out, stride);
  out.bytes_per_npu = ceil_div(out.spec.shape[0] * stride.n * dtype_bits(out.spec.dtype), 8);
}

}  // namespace

void build_aligned(NamedLayout& out) {
  set_axes(out);
  const LocalMemory memory = out.memory();
  build_local(
      out, aligned_stride_bits(memory, out.spec.start_npu, shape4(out), dtype_bits(out.spec.dtype)),
      memory.align_bytes);
}

void build_compact(NamedLayout& out) {
  set_axes(out);
  build_local(out, compact_stride(out.memory(), out.spec.start_npu, shape4(out)), 4);
}

void build_free(NamedLayout& out) {
  set_axes(out);
  if (out.spec.strides.empty()) {
    user_error("layout {} needs strides, one per extent of the shape, in elements", out.info->name);
  }
  const Stride4 stride = strides_or(out, {});
  if (out.spec.system_memory) {
    check_no_npu(out);
    out.layout = system_layout(out.spec.offset, shape4(out), stride, out.spec.dtype);
    set_strides(out, stride);
    return;
  }
  build_local(out, stride, std::max(1, dtype_bits(out.spec.dtype) / 8));
}

void build_matrix(NamedLayout& out) {
  set_axes(out);
  const bool vector = !out.axes.has(Axis::kRow);
  const LocalMemory memory = out.memory();
  std::vector<std::int64_t>& shape = out.spec.shape;
  std::int64_t rows = 1, cols = 0;
  if (vector) {
    cols = shape[0];
  } else {
    rows = shape[0];
    cols = shape[1];
  }
  const std::int64_t address = local_start(out, memory.align_bytes);
  if (!out.spec.cols_per_channel) {
    user_error("layout {} needs the columns per channel, 1 to {}; {} takes the least memory",
               out.info->name, cols,
               best_cols_per_channel(memory, out.spec.start_npu, cols, dtype_bits(out.spec.dtype)));
  }
  const std::int64_t width = *out.spec.cols_per_channel;
  if (width < 1 || width > cols) {
    user_error("columns per channel is {}; allowed are 1 to {} (the columns)", width, cols);
  }
  const Shape4 tensor{rows, ceil_div(cols, width), 1, width};
  const Stride4 stride =
      aligned_stride_bits(memory, out.spec.start_npu, tensor, dtype_bits(out.spec.dtype));
  out.layout = matrix_layout(memory, address, rows, cols, width, out.spec.dtype);
  if (vector) out.layout = vector_layout(memory, address, cols, width, out.spec.dtype);
  set_strides(out, stride);
  out.bytes_per_npu = ceil_div(rows * stride.n * dtype_bits(out.spec.dtype), 8);
}

}  // namespace named_internal
}  // namespace tensorlane
