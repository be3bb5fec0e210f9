#include "tensorlane/layout/named.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/layout/image.h"
#include "tensorlane/layout/named_internal.h"

namespace tensorlane {
namespace {

using namespace named_internal;

// Of offsets: they cannot overflow an address either.
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 50;

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

}  // namespace tensorlane
