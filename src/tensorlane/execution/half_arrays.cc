#include "tensorlane/execution/half_arrays.h"

#include <cstdint>
#include <cstring>
#include <limits>

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/execution/half_arrays.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/execution/half_floats_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr auto kHalfLanes = hn::MaxLanes(Floats());

// Denormal fp32 is zero of its sign before it is rounded.
HWY_INLINE V without_denormals(V x) {
  const VInt sign = hn::And(bits_of(x), number(std::numeric_limits<std::int32_t>::min()));
  const auto denormal = hn::Lt(hn::Xor(bits_of(x), sign), number(0x00800000));
  return float_of(hn::IfThenElse(denormal, sign, bits_of(x)));
}

template <class Half>
void widen_array(const std::uint16_t* from, std::size_t count, float* to) {
  std::size_t i = 0;
  for (; i + kHalfLanes <= count; i += kHalfLanes)
    hn::StoreU(Half::read(hn::LoadU(Halves(), from + i)), Floats(), to + i);
  if (i == count) return;
  HWY_ALIGN std::uint16_t rest[kHalfLanes] = {};
  HWY_ALIGN float wide[kHalfLanes];
  std::memcpy(rest, from + i, (count - i) * sizeof(std::uint16_t));
  hn::Store(Half::read(hn::Load(Halves(), rest)), Floats(), wide);
  std::memcpy(to + i, wide, (count - i) * sizeof(float));
}
template <class Half>
void narrow_array(const float* from, std::size_t count, std::uint16_t* to) {
  std::size_t i = 0;
  for (; i + kHalfLanes <= count; i += kHalfLanes) {
    hn::StoreU(Half::write(without_denormals(hn::LoadU(Floats(), from + i))), Halves(), to + i);
  }
  if (i == count) return;
  HWY_ALIGN float rest[kHalfLanes] = {};
  HWY_ALIGN std::uint16_t narrow[kHalfLanes];
  std::memcpy(rest, from + i, (count - i) * sizeof(float));
  hn::Store(Half::write(without_denormals(hn::Load(Floats(), rest))), Halves(), narrow);
  std::memcpy(to + i, narrow, (count - i) * sizeof(std::uint16_t));
}

void widen_half_array(Dtype dtype, const std::uint16_t* from, std::size_t count, float* to) {
  if (dtype == Dtype::kFp16) return widen_array<Fp16>(from, count, to);
  widen_array<Bf16>(from, count, to);
}
void narrow_half_array(Dtype dtype, const float* from, std::size_t count, std::uint16_t* to) {
  if (dtype == Dtype::kFp16) return narrow_array<Fp16>(from, count, to);
  narrow_array<Bf16>(from, count, to);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {
namespace simd {
namespace {

HWY_EXPORT(widen_half_array);
HWY_EXPORT(narrow_half_array);

void widen_on_processor(Dtype dtype, const std::uint16_t* from, std::size_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(widen_half_array)(dtype, from, count, to);
}
void narrow_on_processor(Dtype dtype, const float* from, std::size_t count, std::uint16_t* to) {
  HWY_DYNAMIC_DISPATCH(narrow_half_array)(dtype, from, count, to);
}

}  // namespace
}  // namespace simd

void widen_halves(Dtype dtype, const std::byte* from, std::size_t count, float* to) {
  simd::widen_on_processor(dtype, reinterpret_cast<const std::uint16_t*>(from), count, to);
}

void narrow_to_halves(Dtype dtype, const float* from, std::size_t count, std::byte* to) {
  simd::narrow_on_processor(dtype, from, count, reinterpret_cast<std::uint16_t*>(to));
}

}  // namespace tensorlane
#endif  // HWY_ONCE
