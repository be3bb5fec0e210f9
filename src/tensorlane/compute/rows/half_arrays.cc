#include "tensorlane/compute/rows/half_arrays.h"

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/rows/half_arrays.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/half_floats_inl.h"
#include "tensorlane/compute/rows/row_loops_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class Half>
void widen_rows(const Row& rows) {
  map_converted<Floats, Halves>(rows, [](VHalf x) HWY_ATTR { return Half::read(x); });
}
template <class Half>
void narrow_rows(const Row& rows) {
  map_converted<Halves, Floats>(rows,
                                [](V x) HWY_ATTR { return Half::write(without_denormals(x)); });
}
void widen_rows_of(Dtype dtype, const Row& rows) {
  if (dtype == Dtype::kFp16) return widen_rows<Fp16>(rows);
  widen_rows<Bf16>(rows);
}
void narrow_rows_of(Dtype dtype, const Row& rows) {
  if (dtype == Dtype::kFp16) return narrow_rows<Fp16>(rows);
  narrow_rows<Bf16>(rows);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {
namespace simd {
namespace {

HWY_EXPORT(widen_rows_of);
HWY_EXPORT(narrow_rows_of);

void widen_on_processor(Dtype dtype, const Row& rows) {
  HWY_DYNAMIC_DISPATCH(widen_rows_of)(dtype, rows);
}
void narrow_on_processor(Dtype dtype, const Row& rows) {
  HWY_DYNAMIC_DISPATCH(narrow_rows_of)(dtype, rows);
}

template <class To, class From>
Row one_row(const void* from, std::size_t count, void* to) {
  Row row{};
  row.src[0] = static_cast<const std::byte*>(from);
  row.src_step[0] = sizeof(From);
  row.dst = static_cast<std::byte*>(to);
  row.dst_step = sizeof(To);
  row.count = static_cast<std::int64_t>(count);
  return row;
}

}  // namespace
}  // namespace simd

void widen_halves(Dtype dtype, const std::byte* from, std::size_t count, float* to) {
  simd::widen_on_processor(dtype, simd::one_row<float, std::uint16_t>(from, count, to));
}
void narrow_to_halves(Dtype dtype, const float* from, std::size_t count, std::byte* to) {
  simd::narrow_on_processor(dtype, simd::one_row<std::uint16_t, float>(from, count, to));
}

void widen_half_rows(Dtype dtype, const Row& rows) {
  simd::widen_on_processor(dtype, rows);
}
void narrow_to_half_rows(Dtype dtype, const Row& rows) {
  simd::narrow_on_processor(dtype, rows);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
