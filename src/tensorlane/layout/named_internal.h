// The tables of the systems and the checks they share.
#ifndef TENSORLANE_LAYOUT_NAMED_INTERNAL_H_
#define TENSORLANE_LAYOUT_NAMED_INTERNAL_H_

#include "tensorlane/base/language.h"
#include "tensorlane/layout/named.h"

namespace tensorlane::named_internal {

std::span<const LayoutInfo> bm1684_layouts();
std::span<const LayoutInfo> bm1684x_layouts();
std::span<const LayoutInfo> mace_layouts();

inline constexpr Axes kNchw("NCHW"), kNhwc("NHWC"), kOihw("OIHW"), kMihw("MIHW"), kHwoi("HWOI"),
    kHwim("HWIM"), kIohw("IOHW"), kHw("HW"), kW("W"), kMatrixAxes("RK"), kVectorAxes("K");

// Extents, strides and numbers of elements up to here cannot overflow an address.
inline constexpr std::int64_t kMaxExtent = std::int64_t{1} << 31;
inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 40;

// Sets the axes to those of the layout that have the rank of the shape; UserError where none has.
void set_axes(NamedLayout& out);
Shape4 shape4(const NamedLayout& out);
void set_strides(NamedLayout& out, const Stride4& stride);

// The address of the tensor in linear local memory; checks start NPU and the offset's alignment.
std::int64_t local_start(const NamedLayout& out, int align_bytes);

// Throws UserError for a start NPU: the tensor is in no local memory.
void check_no_npu(const NamedLayout& out);

// Strides given by the user for (a, b, c, d), or `otherwise`. Checks range and overlap later.
Stride4 strides_or(const NamedLayout& out, const Stride4& otherwise);

// An entry of a table with more to say.
constexpr LayoutInfo row_major(LayoutInfo info) {
  info.row_major = true;
  return info;
}
constexpr LayoutInfo with_strides(LayoutInfo info, StrideUnit unit = StrideUnit::kElement) {
  info.takes_strides = true;
  info.stride_unit = unit;
  return info;
}
constexpr LayoutInfo with_gaps(LayoutInfo info) {
  info.without_gaps = layout_names::kCompact;
  return info;
}

constexpr LayoutInfo called(LayoutInfo info, std::string_view strides_call) {
  info.strides_call = strides_call;
  return info;
}

// Any strides, in either memory.
constexpr LayoutInfo free_form(LayoutInfo info) {
  info.system_rule = msg("offset = n*N + c*C + h*H + w*W elements");
  return with_strides(info);
}

// Layouts that both chips have.
void build_continuous(NamedLayout& out);
void build_aligned(NamedLayout& out);
void build_compact(NamedLayout& out);
void build_matrix(NamedLayout& out);
void build_free(NamedLayout& out);
// One that is written out: notation.cc.
void build_written(NamedLayout& out);

}  // namespace tensorlane::named_internal

#endif  // TENSORLANE_LAYOUT_NAMED_INTERNAL_H_
