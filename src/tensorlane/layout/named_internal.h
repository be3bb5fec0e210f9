// The tables of the systems and the checks they share.
#ifndef TENSORLANE_LAYOUT_NAMED_INTERNAL_H_
#define TENSORLANE_LAYOUT_NAMED_INTERNAL_H_

#include "tensorlane/layout/named.h"

namespace tensorlane::named_internal {

std::span<const LayoutInfo> bm1684_layouts();
std::span<const LayoutInfo> bm1684x_layouts();
std::span<const LayoutInfo> mace_layouts();

// Sets `axes` and checks that the shape has one extent per letter.
void set_axes(NamedLayout& out, std::string_view axes);
Shape4 shape4(const NamedLayout& out);
void set_strides(NamedLayout& out, const Stride4& stride);

// The address of the tensor in linear local memory; checks start NPU and the offset's alignment.
std::int64_t local_start(const NamedLayout& out, int align_bytes);

// Strides given by the user for (a, b, c, d), or `otherwise`. Checks range and overlap later.
Stride4 strides_or(const NamedLayout& out, const Stride4& otherwise);

// Layouts that both chips have.
void build_continuous(NamedLayout& out);
void build_aligned(NamedLayout& out);
void build_compact(NamedLayout& out);
void build_matrix(NamedLayout& out);
void build_free(NamedLayout& out);

}  // namespace tensorlane::named_internal

#endif  // TENSORLANE_LAYOUT_NAMED_INTERNAL_H_
